# SPDX-License-Identifier: Apache-2.0
"""NKI 0.1: index grids, masks, arrays of tiles, operators, loops, launch grids, against numpy."""
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from neuronxcc import nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import neuronxcc.nki.typing as nt

RANDOM = np.random.default_rng(3)


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def on_chip(body, *arrays, shape=None, dtype=np.float32, **options):
    """body(*tiles) of arrays loaded as wholes; its result."""
    @nki.jit(**options)
    def kernel(arrays):
        result = body(*(nl.load(a) for a in arrays))
        out = nl.ndarray(shape or result.shape, dtype=dtype, buffer=nl.shared_hbm)
        nl.store(out, result)
        return out
    return kernel(arrays)


class Grids(unittest.TestCase):
    def test_load_and_store_by_grids(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray((96, 40), dtype=x.dtype, buffer=nl.shared_hbm)
            i_p, i_f = nl.arange(32)[:, None], nl.arange(20)[None, :]
            for i in nl.affine_range(3):
                for j in nl.affine_range(2):
                    tile = nl.load(x[i * 32 + i_p, 5 + 20 * j + i_f])
                    nl.store(out[i_p + 32 * i, 20 * j + i_f], value=tile)
            return out
        x = normal(96, 50)
        np.testing.assert_array_equal(kernel(x), x[:, 5:45])

    def test_steps_and_reversed_dimensions(self):
        def body(x):
            i_p, i_1, i_2 = nl.arange(16)[:, None, None], nl.arange(6)[None, :, None], nl.arange(5)[None, None, :]
            y = nl.ndarray((nl.par_dim(16), 30), dtype=x.dtype)
            y[i_p, i_2 * 6 + i_1] = nl.copy(x[i_p, i_1 * 5 + i_2])
            return y
        x = normal(16, 30)
        np.testing.assert_array_equal(on_chip(body, x), x.reshape(16, 6, 5).transpose(0, 2, 1).reshape(16, 30))
        np.testing.assert_array_equal(on_chip(lambda t: nl.copy(t[nl.arange(16)[:, None], nl.arange(1, 30, 3)[None, :]]), x),
                                      x[:, 1::3])

    def test_mgrid(self):
        def body(x):
            i = nl.mgrid[0:8, 0:10]
            return nl.copy(x[i.p, 2 + 2 * i.x])
        x = normal(8, 30)
        np.testing.assert_array_equal(on_chip(body, x), x[:, 2:22:2])

    def test_windows(self):
        def body(x):
            i_p, i_o, i_w = nl.mgrid[0:8, 0:10, 0:3]
            return nl.max(x[i_p, i_o + i_w], axis=2)
        x = normal(8, 12)
        expected = np.lib.stride_tricks.sliding_window_view(x, 3, axis=1).max(2)
        np.testing.assert_array_equal(on_chip(body, x), expected)

    def test_columns_and_rows(self):
        def body(x):
            i_p = nl.arange(16)[:, None]
            y = nl.ndarray((16, 3), dtype=x.dtype)
            for k in range(3):
                y[i_p, k] = nl.copy(x[i_p, 2 * k])
            return y
        x = normal(16, 8)
        np.testing.assert_array_equal(on_chip(body, x), x[:, 0:6:2])

    def test_one_dimension_of_hbm(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray((16, 1), dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, nl.load(x[0:16, 3]))
            return out
        x = normal(16, 8)
        np.testing.assert_array_equal(kernel(x), x[:, 3:4])


class Masks(unittest.TestCase):
    def test_edge_tiles(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            rows, columns = x.shape
            i_p, i_f = nl.arange(128)[:, None], nl.arange(64)[None, :]
            for i in nl.affine_range(3):
                for j in nl.affine_range(2):
                    mask = (i * 128 + i_p < rows) & (64 * j + i_f <= columns - 1)
                    tile = nl.load(x[i * 128 + i_p, 64 * j + i_f], mask=mask)
                    tile = nl.multiply(tile, 2.0, mask=mask)
                    nl.store(out[i * 128 + i_p, 64 * j + i_f], value=tile, mask=mask)
            return out
        x = normal(300, 100)
        np.testing.assert_array_equal(kernel(x), 2 * x)

    def test_reduction_of_a_part(self):
        def body(x):
            i_p, i_f = nl.arange(32)[:, None], nl.arange(40)[None, :]
            return nl.sum(x[i_p, i_f], axis=1, mask=i_f >= 8)
        x = RANDOM.integers(-9, 9, (32, 40)).astype(np.float32)
        np.testing.assert_array_equal(on_chip(body, x), x[:, 8:].sum(1, keepdims=True))

    def test_partitions_that_no_mask_has_written(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray((40, 1), dtype=x.dtype, buffer=nl.shared_hbm)
            i_p, i_f = nl.arange(128)[:, None], nl.arange(64)[None, :]
            tile = nl.load(x[i_p, i_f], mask=i_p < 40)
            total = nl.sum(nl.square(tile), axis=[1])
            nl.store(out[i_p, 0], value=nl.sqrt(total), mask=i_p < 40)
            return out
        x = normal(40, 64)
        np.testing.assert_allclose(kernel(x), np.sqrt((x * x).sum(1, keepdims=True)), rtol=1e-5)

    def test_products_of_parts(self):
        @nki.jit
        def kernel(a, b):
            out = nl.ndarray((100, 300), dtype=np.float32, buffer=nl.shared_hbm)
            i_k, i_m, i_n = nl.arange(128)[:, None], nl.arange(128)[None, :], nl.arange(512)[None, :]
            x = nl.load(a[i_k, i_m], mask=(i_k < 50) & (i_m < 100))
            y = nl.load(b[i_k, i_n], mask=(i_k < 50) & (i_n < 300))
            psum = nl.zeros((128, 512), np.float32, buffer=nl.psum)
            i_r, i_c = nl.arange(128)[:, None], nl.arange(512)[None, :]
            psum[i_r, i_c] += nisa.nc_matmul(x[i_k, i_m], y[i_k, i_n], mask=(i_k < 50) & (i_m < 100) & (i_n < 300))
            nl.store(out[i_r, i_c], value=nl.copy(psum, mask=(i_r < 100) & (i_c < 300)), mask=(i_r < 100) & (i_c < 300))
            return out
        a, b = (RANDOM.integers(-9, 9, s).astype(np.float32) for s in ((50, 100), (50, 300)))
        np.testing.assert_array_equal(kernel(a, b), a.T @ b)

    def test_nothing_is_left(self):
        def body(x):
            y = nl.zeros((16, 8), x.dtype)
            i_p, i_f = nl.arange(16)[:, None], nl.arange(8)[None, :]
            y[i_p, i_f] = nl.copy(x[i_p, i_f], mask=i_p + 16 < 10)
            return y
        np.testing.assert_array_equal(on_chip(body, normal(16, 8)), np.zeros((16, 8), np.float32))


class Tiles(unittest.TestCase):
    def test_arrays_of_tiles(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            tiles = nl.ndarray((2, 3, nl.par_dim(32), 10), dtype=x.dtype, buffer=nl.sbuf)
            for i in nl.affine_range(2):
                for j in nl.affine_range(3):
                    tiles[i, j] = nl.load(x[i * 32:(i + 1) * 32, j * 10:(j + 1) * 10])
            for i in nl.affine_range(2):
                for j in nl.affine_range(3):
                    tiles[i, j, :, 0:5] = tiles[i, j, 0:32, 0:5] + 1.0
                    nl.store(out[i * 32:(i + 1) * 32, nl.ds(j * 10, 10)], tiles[i][j])
            return out
        x = normal(64, 30)
        expected = x.copy()
        expected.reshape(64, 3, 10)[:, :, :5] += 1
        np.testing.assert_array_equal(kernel(x), expected)

    def test_operators(self):
        x, y, column, row = normal(32, 20), RANDOM.random((32, 20), dtype=np.float32) + 1, normal(32, 1), normal(1, 20)
        self.near(lambda a, b: a + b - 1.0 - a * b, x + y - 1 - x * y, x, y)
        self.near(lambda a, b: 1.0 / b + a / b + b / 4.0, 1 / y + x / y + y / 4, x, y)
        self.near(lambda a, c: (a - c) * c + (c - a), (x - column) * column + (column - x), x, column)
        self.near(lambda a, r: a * r + (r - a), x * row + (row - x), x, row)
        self.near(lambda a, b: -a + (2.0 - b), -x + (2 - y), x, y)
        self.near(lambda a, b: (a < b) * 2.0, (x < y) * 2.0, x, y)

    def near(self, body, expected, *arrays, rtol=3e-6, atol=3e-6, **options):
        np.testing.assert_allclose(on_chip(body, *arrays, **options), expected, rtol=rtol, atol=atol)

    def test_updates_in_place(self):
        def body(x, y):
            total = nl.zeros((32, 20), np.float32)
            for i in range(3):
                total[0:32, 0:10] += x[:, 0:10]
            total[:, 10:20] = y[:, 0:10]
            total *= 2.0
            return total
        x, y = (RANDOM.integers(-9, 9, (32, 20)).astype(np.float32) for _ in range(2))
        np.testing.assert_array_equal(on_chip(body, x, y), np.hstack([6 * x[:, :10], 2 * y[:, :10]]))

    def test_shifted_copy_within_a_tile(self):
        def body(x):
            x[:, 1:20] = nl.copy(x[:, 0:19])
            return x
        x = normal(16, 20)
        np.testing.assert_array_equal(on_chip(body, x), np.hstack([x[:, :1], x[:, :19]]))

    def test_a_result_that_is_used_twice(self):
        def body(x):
            y = nl.ndarray((16, 20), dtype=x.dtype)
            value = nl.exp(x)
            y[0:16, 0:20] = value
            return y + value
        x = normal(16, 20)
        self.near(body, 2 * np.exp(x), x, rtol=1e-5)

    def test_a_load_sees_what_was_there(self):
        @nki.jit
        def kernel(x: nt.mutable_tensor):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            before = nl.load(x)
            nl.store(x, nl.zeros(x.shape, x.dtype))
            nl.store(out, before)
            return out
        x = normal(16, 20)
        np.testing.assert_array_equal(kernel(x.copy()), x)

    def test_sums_over_loops(self):
        def body(x):
            total, best = nl.ndarray((16, 5), dtype=x.dtype), None
            for i in nl.affine_range(4):
                part = nl.copy(x[:, 5 * i:5 * i + 5])
                total[...] = nl.loop_reduce(part, op=np.add, loop_indices=[i], dtype=np.float32)
                best = nl.loop_reduce(part, op=np.max, loop_indices=[i])
            return total - best
        x = RANDOM.integers(-9, 9, (16, 20)).astype(np.float32)
        parts = x.reshape(16, 4, 5)
        np.testing.assert_array_equal(on_chip(body, x), parts.sum(1) - parts.max(1))

    def test_allocations_name_the_memory(self):
        def body(x):
            y = nl.ndarray((2, nl.par_dim(16), 4), dtype=x.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(1,)))
            y[1] = nl.copy(x)
            return y[1]
        x = normal(16, 4)
        np.testing.assert_array_equal(on_chip(body, x), x)


class Instructions(unittest.TestCase):
    """How many a kernel becomes."""

    def test_results_go_where_they_are_assigned(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            tiles = nl.ndarray((2, 2, nl.par_dim(32), 16), dtype=x.dtype)
            for i in nl.affine_range(2):
                tiles[i, 0] = nl.load(x[32 * i:32 * i + 32, 0:16])
                tiles[i, 1, 0:32, 0:16] = nl.multiply(tiles[i, 0], 2.0)
                tiles[i, 1, :, 0:8] += tiles[i, 0, :, 0:8]
                nl.store(out[32 * i:32 * i + 32, 0:16], value=tiles[i, 1])
            return out
        x = normal(64, 16)
        np.testing.assert_array_equal(kernel(x), np.hstack([3 * x[:, :8], 2 * x[:, 8:]]))
        computed = [line for line in self.listing(kernel, x) if " tensor_" in line]
        self.assertEqual(len(computed), 4)

    @staticmethod
    def listing(kernel, *arrays):
        texts = []
        kernel.build(*arrays, after_pass=lambda name, text: texts.append(text) if name == "engines" else None)
        return texts[0].splitlines()


class Functions(unittest.TestCase):
    near = Tiles.near

    def test_language(self):
        x, y = normal(32, 24), RANDOM.random((32, 24), dtype=np.float32) + 0.5
        self.near(nl.exp, np.exp(x), x, rtol=1e-5)
        self.near(lambda b: nl.sqrt(b) + nl.rsqrt(b) + nl.log(b), np.sqrt(y) + 1 / np.sqrt(y) + np.log(y), y, rtol=1e-5)
        self.near(lambda a: nl.max(a, axis=1) - nl.min(a, axis=[1]), x.max(1, keepdims=True) - x.min(1, keepdims=True), x)
        self.near(lambda a: nl.mean(a, axis=1), x.mean(1, keepdims=True), x)
        self.near(lambda a: nl.sum(a.reshape((32, 4, 6)), axis=1, keepdims=False), x.reshape(32, 4, 6).sum(1), x)
        self.near(lambda a: nl.softmax(a, axis=1), np.exp(x) / np.exp(x).sum(1, keepdims=True), x, rtol=1e-5)
        self.near(lambda a: nl.broadcast_to(a[:, 0:1], shape=(32, 24)) * 1.0, np.repeat(x[:, :1], 24, 1), x)
        self.near(lambda a: a[0:1, 0:24].broadcast_to((32, 24)) * 2.0, np.repeat(2 * x[:1], 32, 0), x)
        self.near(lambda a: nl.negative(nl.abs(a)), -np.abs(x), x)
        self.near(lambda a: nl.static_cast(a, np.float32), x, x)
        self.near(lambda a, b: nl.where(a > 0.0, a, b), np.where(x > 0, x, y), x, y)

    def test_products(self):
        a, b = (RANDOM.integers(-9, 9, s).astype(np.float32) for s in ((64, 32), (64, 100)))
        np.testing.assert_array_equal(on_chip(lambda x, y: nl.matmul(x, y, transpose_x=True), a, b), a.T @ b)
        np.testing.assert_array_equal(on_chip(lambda x, y: nl.matmul(x, y), a.T.copy(), b), a.T @ b)
        np.testing.assert_array_equal(on_chip(nl.transpose, a), a.T)

    def test_a_product_replaces_and_adds(self):
        def body(x, y):
            psum = nl.ndarray((nl.par_dim(32), 100), dtype=nl.float32, buffer=nl.psum)
            psum[...] = nisa.nc_matmul(x, y)
            psum[...] = nisa.nc_matmul(x, y)
            psum += nisa.nc_matmul(x, y)
            return nl.copy(psum)
        a, b = (RANDOM.integers(-9, 9, s).astype(np.float32) for s in ((64, 32), (64, 100)))
        np.testing.assert_array_equal(on_chip(body, a, b), 2 * a.T @ b)

    def test_transposed_load(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray((x.shape[1], x.shape[0]), dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, nl.load_transpose2d(x))
            return out
        x = normal(64, 96)
        np.testing.assert_array_equal(kernel(x), x.T)

    def test_isa(self):
        x, y, column = normal(32, 24), normal(32, 24), normal(32, 1)
        self.near(lambda a, c: nisa.tensor_scalar(a, op0=np.multiply, operand0=c, op1=np.add, operand1=1.0), x * column + 1,
                  x, column)
        self.near(lambda a, c: nisa.activation(op=np.exp, data=a, bias=c, scale=0.5), np.exp(0.5 * x + column), x, column,
                  rtol=1e-5)
        self.near(lambda a: nisa.tensor_reduce(np.max, data=a, axis=(1,), negate=True), -x.max(1, keepdims=True), x)
        self.near(lambda a, b: nisa.tensor_tensor(a, b, op=np.subtract), x - y, x, y)
        self.near(lambda a, b, c: nisa.scalar_tensor_tensor(data=a, op0=np.subtract, operand0=c, op1=np.multiply, operand1=b),
                  (x - column) * y, x, y, column)
        self.near(lambda a, b: nisa.tensor_tensor_scan(a, b, initial=0, op0=np.multiply, op1=np.add), self.scan(x, y), x, y,
                  rtol=1e-4, atol=1e-4)
        self.near(lambda: nisa.memset(shape=(32, 4), value=3, dtype=np.float32), np.full((32, 4), 3, np.float32))
        self.near(lambda a: nisa.bn_aggr(nisa.bn_stats(a)), np.stack([x.mean(1), x.var(1)], 1), x, rtol=1e-5)
        self.near(lambda a: nisa.max8(src=a), -np.sort(-x, axis=1)[:, :8], x)
        self.near(lambda a: nisa.tensor_copy(a, engine=nisa.vector_engine), x, x)

    @staticmethod
    def scan(x, y):
        result, state = np.zeros_like(x), np.zeros(len(x), np.float32)
        for i in range(x.shape[1]):
            state = result[:, i] = x[:, i] * state + y[:, i]
        return result

    def test_index_patterns(self):
        i_p, i_f = np.arange(16)[:, None], np.arange(20)[None, :]
        made = on_chip(lambda: nisa.iota(3 * nl.arange(16)[:, None] + 2 * nl.arange(20)[None, :] + 1, dtype=np.int32),
                       dtype=np.int32)
        np.testing.assert_array_equal(made, 3 * i_p + 2 * i_f + 1)
        x = normal(16, 20)

        def body(a):
            rows, columns = nl.arange(16)[:, None], nl.arange(20)[None, :]
            return nisa.affine_select(pred=rows >= columns, on_true_tile=a, on_false_value=-5.0)
        np.testing.assert_array_equal(on_chip(body, x), np.where(i_p >= i_f, x, np.float32(-5)))


class Launches(unittest.TestCase):
    def test_programs_of_a_grid(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            i_p, i_f = nl.program_id(0) * 32 + nl.arange(32)[:, None], nl.program_id(1) * 10 + nl.arange(10)[None, :]
            scale = 1.0 + nl.program_id(0) * nl.num_programs(1) + nl.program_id(1)
            nl.store(out[i_p, i_f], value=nl.load(x[i_p, i_f]) * scale)
            return out
        x = normal(64, 30)
        expected = x.reshape(2, 32, 3, 10) * np.arange(1, 7, dtype=np.float32).reshape(2, 1, 3, 1)
        np.testing.assert_array_equal(kernel[2, 3](x), expected.reshape(64, 30))
        np.testing.assert_array_equal(kernel[nl.spmd_dim(2, nl.nc(1)), 3](x), expected.reshape(64, 30))
        with self.assertRaisesRegex(nki.NkiNotSupportedError, "a launch on 2 cores"):
            kernel[nl.spmd_dim(1, nl.nc(2))](x)

    def test_decorators(self):
        def double(x):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, nl.load(x) * 2.0)
            return out
        x = normal(8, 8)
        for kernel in (nki.jit(double), nki.baremetal()(double), nki.jit(mode="simulation")(double), nki.trace(double)):
            np.testing.assert_array_equal(kernel(x), 2 * x)
        np.testing.assert_array_equal(nki.simulate_kernel(nki.jit(double), x), 2 * x)
        timed = nki.benchmark(warmup=5, iters=10, save_neff_name="f.neff")(double)
        timed(x)
        self.assertGreater(timed.benchmark_result.nc_latency.get_latency_percentile(99), 1)


class Errors(unittest.TestCase):
    """Messages name what is wrong and the author's line."""

    def refused(self, text, body, *arrays, error=nki.NkiError):
        with self.assertRaisesRegex(error, text) as caught:
            on_chip(body, *(arrays or (normal(16, 20),)))
        self.assertIn("test_old_style.py:", str(caught.exception))
        return str(caught.exception)

    def test_messages(self):
        i_p, i_f = nl.arange(16)[:, None], nl.arange(20)[None, :]
        self.refused(r"Out-of-bound access for tensor `.*` on dimension 1: index range \[3, 22\] exceed dimension size of 20",
                     lambda x: nl.copy(x[i_p, i_f + 3]))
        self.refused("a mask that is no box", lambda x: nl.copy(x[i_p, i_f], mask=i_p >= i_f))
        self.refused("a mask with |", lambda x: nl.copy(x[i_p, i_f], mask=(i_p < 3) | (i_f < 3)))
        self.refused("// of an index grid", lambda x: nl.copy(x[i_p, i_f // 2]))
        self.refused("an index grid of one dimension", lambda x: nl.copy(x[0, nl.arange(20)]))
        self.refused("no slices", lambda x: nl.copy(x[i_p, 0:20]))
        self.refused("a tile as index", lambda x: nl.copy(x[x, i_f]))
        self.refused(r"shapes \[16, 20\] and \[16, 10\] differ", lambda x: nl.add(x, x[:, 0:10]))
        self.refused("expected nl.store", self._assigns_to_hbm)
        self.refused("'src' of 'load' to be in address space 'hbm', but got a tile in 'sbuf'", nl.load)
        self.refused("indexed by a range", self._range_of_tiles)
        self.refused("an array of tiles", lambda x: nl.copy(nl.zeros((2, nl.par_dim(16), 4), x.dtype)))
        self.refused("reduction over partitions", lambda x: nl.sum(x, axis=0))
        self.refused("neuronxcc.nki.language.atomic_rmw is not supported", lambda x: nl.atomic_rmw(x, x, op=np.add))
        self.refused("neuronxcc.nki.isa.builtin_custom_op is not supported", lambda x: nisa.builtin_custom_op("f"))
        self.refused("the values of a tile are not known", lambda x: x if x > 0.0 else x)

    @staticmethod
    def _assigns_to_hbm(x):
        out = nl.ndarray((16, 20), dtype=x.dtype, buffer=nl.shared_hbm)
        out[...] = x
        return x

    @staticmethod
    def _range_of_tiles(x):
        tiles = nl.zeros((4, nl.par_dim(16), 4), x.dtype)
        return nl.copy(tiles[nl.arange(4)[None, :], nl.arange(16)[:, None], 0])

    def test_the_line_is_that_of_the_call(self):
        """An instruction is recorded after its line."""
        def body(x):
            y = nl.copy(x[nl.arange(16)[:, None], nl.arange(20)[None, :] + 1])  # wrong
            z = nl.copy(x)
            return y + z
        self.assertIn("# wrong", self.refused("Out-of-bound", body))

    def test_another_package_is_not_hidden(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(f"{folder}/neuronxcc/nki")
            for name in ("neuronxcc", "neuronxcc/nki"):
                open(f"{folder}/{name}/__init__.py", "w").close()
            program = os.environ.get("TERN_PROGRAM")
            if not program:
                self.skipTest("TERN_PROGRAM names no program")
            environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
            result = subprocess.run([program, "nki", "python", "-c", "pass"], env=dict(environment, PYTHONPATH=folder),
                                    capture_output=True, text=True)
            self.assertEqual(result.returncode, 2)
            self.assertIn("another package neuronxcc is installed in", result.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())

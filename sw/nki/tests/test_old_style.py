# SPDX-License-Identifier: Apache-2.0
"""NKI 0.1: index grids, masks, arrays of tiles, operators, loops, against numpy."""
import sys
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


def near(body, expected, *arrays, rtol=3e-6, atol=3e-6, **options):
    np.testing.assert_allclose(on_chip(body, *arrays, **options), expected, rtol=rtol, atol=atol)


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
        near(lambda a, b: a + b - 1.0 - a * b, x + y - 1 - x * y, x, y)
        near(lambda a, b: 1.0 / b + a / b + b / 4.0, 1 / y + x / y + y / 4, x, y)
        near(lambda a, c: (a - c) * c + (c - a), (x - column) * column + (column - x), x, column)
        near(lambda a, r: a * r + (r - a), x * row + (row - x), x, row)
        near(lambda a, b: -a + (2.0 - b), -x + (2 - y), x, y)
        near(lambda a, b: (a < b) * 2.0, (x < y) * 2.0, x, y)

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
        near(body, 2 * np.exp(x), x, rtol=1e-5)

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

    def test_sums_over_an_outer_loop(self):
        """Each value of the loops inside has its own sum; tiles of an array, and parts of one tile."""
        def tiles(x):
            total = nl.ndarray((3, nl.par_dim(16), 5), dtype=x.dtype)
            for i in nl.affine_range(4):
                for j in nl.affine_range(3):
                    part = nl.copy(x[:, 15 * i + 5 * j:15 * i + 5 * j + 5])
                    total[j] = nl.loop_reduce(part, op=np.add, loop_indices=[i])
            return nl.add(nl.add(total[0], total[1]), nl.multiply(total[2], 100.0))

        def parts(x):
            total = nl.ndarray((16, 15), dtype=x.dtype)
            for i in nl.affine_range(4):
                for j in nl.affine_range(3):
                    part = nl.copy(x[:, 15 * i + 5 * j:15 * i + 5 * j + 5])
                    total[:, 5 * j:5 * j + 5] = nl.loop_reduce(part, op=np.add, loop_indices=[i])
            return total
        x = RANDOM.integers(-9, 9, (16, 60)).astype(np.float32)
        sums = x.reshape(16, 4, 3, 5).sum(1)
        np.testing.assert_array_equal(on_chip(tiles, x), sums[:, 0] + sums[:, 1] + 100 * sums[:, 2])
        np.testing.assert_array_equal(on_chip(parts, x), sums.reshape(16, 15))

    def test_sums_in_turns(self):
        """The sum goes on where it is assigned anew, and begins again with the loop outside."""
        def body(x):
            total = nl.ndarray((16, 10), dtype=x.dtype)
            for k in nl.affine_range(2):
                for i in nl.affine_range(3):
                    part = nl.copy(x[:, 15 * k + 5 * i:15 * k + 5 * i + 5])
                    total[:, 5 * (i % 2):5 * (i % 2) + 5] = nl.loop_reduce(part, op=np.add, loop_indices=[i])
            return total
        x = RANDOM.integers(-9, 9, (16, 30)).astype(np.float32)
        second = x[:, 15:].reshape(16, 3, 5)
        np.testing.assert_array_equal(on_chip(body, x), np.concatenate([second.sum(1), second[:, :2].sum(1)], 1))

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

    def test_a_product_of_loads_is_one_product(self):
        @nki.jit
        def kernel(a, b):
            out = nl.ndarray((128, 64), dtype=np.float32, buffer=nl.shared_hbm)
            total = nl.zeros((128, 64), dtype=np.float32, buffer=nl.psum)
            both = nl.ndarray((128, 64), dtype=np.float32, buffer=nl.sbuf)
            for i in nl.affine_range(2):
                total += nisa.nc_matmul(nl.load(a[128 * i:128 * i + 128]), nl.load(b[128 * i:128 * i + 128]))
            both[...] = nl.add(nl.load(b[0:128]), total)
            nl.store(out, value=both)
            return out
        a, b = normal(256, 128), normal(256, 64)
        np.testing.assert_allclose(kernel(a, b), a.T @ b + b[:128], rtol=1e-4, atol=1e-4)
        names = [line.split()[1] for line in self.listing(kernel, a, b) if line[0].isdigit()]
        self.assertEqual([names.count(name) for name in ("dma_copy", "nc_matmul", "tensor_tensor")], [6, 2, 1])

    def test_a_row_is_copied_where_it_is_made_a_tile(self):
        def kernel_of(row_of):
            @nki.jit
            def kernel(x, row):
                out = nl.ndarray((128, 600), dtype=np.float32, buffer=nl.shared_hbm)
                repeated = row_of(nl.load(row))
                nl.store(out, value=nl.add(nl.multiply(nl.load(x), repeated), repeated))
                return out
            return kernel
        x, row = normal(128, 600), normal(1, 600)
        for row_of, products, copies in ((lambda t: t, 4, 0), (lambda t: t.broadcast_to((128, 600)), 2, 2)):
            kernel = kernel_of(row_of)
            np.testing.assert_array_equal(kernel(x, row), x * row + row)
            names = [line.split()[1] for line in self.listing(kernel, x, row) if line[0].isdigit()]
            self.assertEqual((names.count("nc_matmul"), names.count("tensor_copy")), (products, copies))

    def test_an_open_engine_is_scalar(self):
        @nki.jit(platform_target="trn1")
        def kernel(x, w):
            out = nl.ndarray((128, 128), dtype=np.float32, buffer=nl.shared_hbm)
            t = nisa.tensor_scalar(nl.load(x), nl.multiply, 3.0, reverse0=True)
            t = nisa.tensor_scalar(t, nl.multiply, 0.1, op1=nl.add, operand1=1.0)
            t = nisa.tensor_scalar(t, nl.maximum, 0.25)  # Vector alone has it
            t = nisa.tensor_scalar(t, nl.add, 0.5, engine=nisa.vector_engine)
            nl.store(out, value=nl.copy(nisa.nc_matmul(nl.load(w), t)))
            return out
        x, w = normal(128, 128), normal(128, 128)
        result = kernel(x, w)
        scaled = x * np.float32(3) * np.float32(0.1) + np.float32(1)
        expected = w.T @ (np.maximum(scaled, np.float32(0.25)) + np.float32(0.5))
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)
        engines = [line.split()[2] for line in self.listing(kernel, x, w) if " tensor_" in line]
        self.assertEqual(engines, ["(scalar)", "(scalar)", "(vector)", "(vector)", "(scalar)"])

    def test_both_engines_have_the_same_bits(self):
        def on(engine):
            @nki.jit(platform_target="trn1")
            def kernel(x, column):
                out = nl.ndarray(x.shape, dtype=nl.bfloat16, buffer=nl.shared_hbm)
                t = nisa.tensor_scalar(nl.load(x), nl.multiply, nl.load(column), op1=nl.add, operand1=-1.5, engine=engine)
                nl.store(out, value=nisa.tensor_copy(t, dtype=nl.bfloat16, engine=engine))
                return out
            return kernel
        x, column = normal(128, 300) * 1e3, normal(128, 1)
        bits = [np.asarray(on(engine)(x, column)).tobytes() for engine in (nisa.vector_engine, nisa.scalar_engine)]
        self.assertEqual(bits[0], bits[1])

    @staticmethod
    def listing(kernel, *arrays):
        texts = []
        kernel.build(*arrays, after_pass=lambda name, text: texts.append(text) if name == "engines" else None)
        return texts[0].splitlines()


if __name__ == "__main__":
    sys.exit(unittest.main())

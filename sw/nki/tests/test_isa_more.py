# SPDX-License-Identifier: Apache-2.0
"""Further functions of nki.isa: transfers, indices, random numbers, FP8 and MX products."""
import unittest

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl
from one_call import run

F32, I32, U32, U16 = nl.float32, nl.int32, nl.uint32, nl.uint16


def fp8(values, dtype):
    return nki.array(values, dtype)


def quantized(tile, partitions, columns):
    """Elements and scales of an operand of an MX product, [element, scale]."""
    data = nl.ndarray((partitions, columns), dtype=nl.float8_e4m3fn_x4, buffer=nl.sbuf)
    scale = nl.ndarray((partitions, columns), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.quantize_mx(data, tile, scale)
    return [data, scale]


class More(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(12)

    def normal(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def test_sum_of_transfers(self):
        @nki.jit
        def add(a, b, first):
            out = nl.ndarray((128, 64), dtype=a.dtype, buffer=nl.shared_hbm)
            tile = nl.ndarray((128, 80), dtype=a.dtype, buffer=nl.sbuf)
            part = tile[:, first:first + 64]
            nisa.dma_compute(part, [a, b], reduce_op=nl.add, scales=[1.0, 1.0])
            nisa.dma_copy(dst=out, src=part)
            return out
        a, b = self.normal(128, 64), self.normal(128, 64)
        for first in (0, 3):  # rows at multiples of 64 bytes, and not
            np.testing.assert_array_equal(add(a, b, first), a + b)

    def test_rows_added_by_index(self):
        @nki.jit
        def scatter(table, rows, index):
            position = nl.load(index)
            data = nl.load(rows)
            indexed = table.ap([[32, 64], [1, 32]], offset=0, vector_offset=position)
            nisa.dma_compute(indexed, [indexed, data], reduce_op=nl.add)
            return table
        table, rows = self.normal(300, 32), self.normal(64, 32)
        index = self.random.permutation(300)[:64].astype(np.uint32).reshape(64, 1)
        expected = table.copy()
        expected[index[:, 0]] += rows
        np.testing.assert_array_equal(scatter(table.copy(), rows, index), expected)

    def test_rows_gathered_and_left_out(self):
        @nki.jit
        def gather(table, index):
            out = nl.ndarray((64, 16), dtype=table.dtype, buffer=nl.shared_hbm)
            tile = nl.ndarray((64, 16), dtype=table.dtype, buffer=nl.sbuf)
            nisa.memset(dst=tile, value=-1.0)  # what is left out keeps this
            nisa.dma_copy(dst=tile, src=table.ap([[16, 64], [1, 16]], offset=0, vector_offset=nl.load(index)),
                          oob_mode=nisa.oob_mode.skip)
            nisa.dma_copy(dst=out, src=tile)
            short = nl.ndarray((64, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
            nisa.memset(dst=short, value=-1.0)
            nisa.dma_copy(dst=short, src=table.ap([[16, 64], [1, 16]], offset=0, vector_offset=nl.load(index)),
                          oob_mode=nisa.oob_mode.skip)  # converted
            converted = nl.ndarray((64, 16), dtype=nl.bfloat16, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=converted, src=short)
            return out, converted
        table, index = self.normal(100, 16), self.random.permutation(128)[:64].astype(np.uint32).reshape(64, 1)
        expected = np.full((64, 16), -1, np.float32)
        inside = index[:, 0] < 100
        expected[inside] = table[index[inside, 0]]
        out, converted = gather(table, index)
        np.testing.assert_array_equal(out, expected)
        np.testing.assert_array_equal(np.asarray(converted), np.asarray(nki.array(expected, nl.bfloat16)))

    def test_truth_values_as_arguments(self):
        where = self.random.integers(0, 2, (32, 20)).astype(bool)
        x = self.normal(32, 20)
        result = run(lambda d, a, w: nisa.tensor_copy_predicated(d, a, w), [x, where], (32, 20), F32, start=np.zeros_like(x))
        np.testing.assert_array_equal(result, np.where(where, x, 0))

    def test_product_on_a_part_of_the_array(self):
        k, m = self.normal(64, 40), self.normal(64, 50)

        def call(d, a, b):  # operands on partition 0, for rows from 64 on
            nisa.nc_matmul(d, a, b, tile_position=(64, 0), tile_size=(64, 128))
        np.testing.assert_allclose(run(call, [k, m], (40, 50), F32, buffer=nl.psum), k.T @ m, rtol=1e-5, atol=1e-4)

    def test_rows_scattered_and_skipped(self):
        @nki.jit
        def scatter(table, rows, index):
            position = nl.load(index)
            data = nl.load(rows)
            nisa.dma_copy(dst=table.ap([[16, 64], [1, 16]], offset=0, vector_offset=position), src=data,
                          oob_mode=nisa.oob_mode.skip)
            return table
        table, rows = self.normal(100, 16), self.normal(64, 16)
        index = self.random.permutation(128)[:64].astype(np.uint32).reshape(64, 1)  # some beyond the table
        expected = table.copy()
        inside = index[:, 0] < 100
        expected[index[inside, 0]] = rows[inside]
        updated = table.copy()
        np.testing.assert_array_equal(scatter(updated, rows, index), expected)
        np.testing.assert_array_equal(updated, expected)  # in place

    def test_addresses_from_a_tensor(self):
        @nki.jit
        def move(table, positions):
            out = nl.ndarray((4, 3, 20), dtype=table.dtype, buffer=nl.shared_hbm)
            words = nl.load(positions)
            row = words[2:3, 1:2]
            tile = nl.ndarray((3, 20), dtype=table.dtype, buffer=nl.sbuf)
            # Rows from the one on that the word says; then the block of `out` that another word says.
            nisa.dma_copy(dst=tile, src=table.ap([[20, 3], [1, 20]], offset=0, scalar_offset=row, indirect_dim=0))
            for i in range(4):
                nisa.dma_copy(dst=out.select(0, words[i:i + 1, 0:1]), src=tile)
                nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)
            return out
        table = self.normal(100, 20)
        positions = np.array([[2, 0], [0, 0], [3, 57], [1, 0]], np.int32)
        result = move(table, positions)
        for i, block in enumerate(positions[:, 0]):
            expected = table[57:60]
            for _ in range(i):
                expected = expected + np.float32(1)
            np.testing.assert_array_equal(result[block], expected)

    def test_dma_transposes(self):
        for shape, axes in (((48, 20), (1, 0)), ((64, 32), None), ((4, 6, 32), (2, 1, 0)), ((2, 3, 4, 16), (3, 1, 2, 0))):
            x = (self.normal(*shape) * 100).astype(np.int16)
            order = axes or (1, 0)

            @nki.jit
            def transpose(x):
                out = nl.ndarray(tuple(x.shape[a] for a in order), dtype=x.dtype, buffer=nl.shared_hbm)
                tile = nl.ndarray(out.shape, dtype=x.dtype, buffer=nl.sbuf)
                nisa.dma_transpose(dst=tile, src=x, axes=axes)
                nisa.dma_copy(dst=out, src=tile)
                return out
            np.testing.assert_array_equal(transpose(x), x.transpose(order))

    def test_local_gather(self):
        x = self.normal(32, 100)
        index = self.random.integers(0, 25, (32, 2)).astype(np.uint16)
        result = run(lambda d, t, i: nisa.local_gather(d, t, i, num_elem_per_idx=4), [x, index], (32, 128), F32)
        for core in range(2):
            numbers = index[16 * core:16 * core + 16].T.reshape(-1)  # item i: partition i % 16, column i / 16
            expected = np.stack([x[16 * core:16 * core + 16, n:n + 4] for n in numbers], axis=1)
            np.testing.assert_array_equal(result[16 * core:16 * core + 16], expected.reshape(16, 128))

    def test_nonzero(self):
        x = (self.random.random((128, 20)) < 0.3).astype(np.int32)
        result = run(lambda d, t: nisa.nonzero_with_count(d, t, index_offset=5, padding_val=-2), [x], (128, 21), I32,
                     start=np.zeros((128, 21), np.int32))
        for p in range(0, 128, 16):
            found = np.flatnonzero(x[p]) + 5
            np.testing.assert_array_equal(result[p], list(found) + [-2] * (20 - len(found)) + [len(found)])

    def test_sequence_bounds(self):
        ids = np.array([[1, 1, 1, 2, 2, 0, 3, 3]], np.float32)
        result = run(lambda d, t: nisa.sequence_bounds(d, t), [ids], (1, 2, 8), F32)
        np.testing.assert_array_equal(result[0, 0], [0, 0, 0, 3, 3, 8, 6, 6])
        np.testing.assert_array_equal(result[0, 1], [3, 3, 3, 5, 5, -1, 8, 8])

    def test_random_state_is_repeated(self):
        def call(d):
            seed = nl.ndarray((128, 1), dtype=U32, buffer=nl.sbuf)
            again = nl.ndarray((128, 50), dtype=U32, buffer=nl.sbuf)
            state = nl.ndarray((128, 24), dtype=U32, buffer=nl.sbuf)
            nisa.memset(seed, 1234)
            nisa.set_rng_seed(seed[0:1, :])
            nisa.rand_get_state(state, engine=nisa.engine.vector)
            nisa.rng(d)
            nisa.rand_set_state(state, engine=nisa.engine.vector)
            nisa.rng(again)
            return (again,)
        first, again = run(call, [], (128, 50), U32)
        np.testing.assert_array_equal(first, again)
        self.assertGreater(len(np.unique(first)), 6000)

    def test_dropout(self):
        x = np.ones((128, 400), np.float32)
        result = run(lambda d, t: nisa.dropout(d, t, 0.25), [x], x.shape, F32)
        self.assertTrue(np.isin(result, (0, 1)).all())
        self.assertAlmostEqual(result.mean(), 0.75, delta=0.01)

    def test_activate2(self):
        x, a = self.normal(128, 30), self.normal(128, 1)
        result = run(lambda d, t, c: nisa.activate2(d, nl.copy, t, c, 2.0, nl.multiply, nl.add), [x, a], x.shape, F32)
        np.testing.assert_array_equal(result, x * a + np.float32(2))

    def test_operands_over_several_banks(self):
        x = self.normal(64, 1600)

        def call(d, t):
            wide = nl.ndarray((64, 4, 400), dtype=F32, buffer=nl.psum)
            nisa.tensor_copy(wide, t)
            nisa.tensor_scalar(d, wide.reshape((64, 1600)), nl.multiply, 2.0)
        np.testing.assert_array_equal(run(call, [x], (64, 1600), F32), x * np.float32(2))

    def test_memset_before_products(self):
        a, b = self.normal(128, 64), self.normal(128, 90)
        seen = []

        @nki.jit
        def kernel(a, b):
            out = nl.ndarray((64, 100), dtype=F32, buffer=nl.shared_hbm)
            x, y = nl.load(a), nl.load(b)
            total = nl.ndarray((64, 100), dtype=F32, buffer=nl.psum)
            nisa.memset(total, 5.0)  # seen in ten columns
            nisa.nc_matmul(total[:, 0:90], x, y)
            other = nl.zeros((64, 90), dtype=F32, buffer=nl.psum)  # not seen
            nisa.nc_matmul(other, x, y)
            nisa.nc_matmul(other, x, y)
            both = nl.ndarray((64, 100), dtype=F32, buffer=nl.sbuf)
            nisa.tensor_copy(both, total)
            nisa.tensor_tensor(both[:, 0:90], both[:, 0:90], other, nl.add)
            nl.store(out, both)
            return out
        executable, arrays = kernel.build(a, b, after_pass=lambda name, text: seen.append((name, text.count(" memset "))))
        result, _ = executable.run(arrays)
        np.testing.assert_allclose(result[:, :90], 3 * a.astype(np.float64).T @ b, rtol=1e-4, atol=1e-4)
        np.testing.assert_array_equal(result[:, 90:], 5)
        counts = dict(seen)
        self.assertEqual((counts["accumulate"], counts["drop_dead"]), (2, 1))

    def test_products_of_float8(self):
        a = np.round(self.normal(128, 64) * 4) / 4
        b = np.round(self.normal(128, 90) * 4) / 4
        for dtype in (nl.float8_e4m3, nl.float8_e5m2):
            pair = [fp8(np.clip(x, -3, 3), dtype) for x in (a, b)]
            expected = nki.as_float(pair[0]).T @ nki.as_float(pair[1])
            result = run(lambda d, x, y: nisa.nc_matmul(d, x, y), pair, (64, 90), F32, buffer=nl.psum)
            np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-5)

    def test_double_row(self):
        a, b = fp8(self.normal(128, 2, 64), nl.float8_e4m3fn), fp8(self.normal(128, 2, 90), nl.float8_e4m3fn)
        expected = np.einsum("kpm,kpn->mn", nki.as_float(a), nki.as_float(b))
        result = run(lambda d, x, y: nisa.nc_matmul(d, x, y, perf_mode="double_row"), [a, b], (64, 90), F32, buffer=nl.psum)
        np.testing.assert_allclose(result, expected, rtol=1e-3, atol=1e-2)

    def test_double_row_of_rows(self):
        a, b = fp8(self.normal(128, 2, 64), nl.float8_e4m3fn), fp8(self.normal(128, 2, 90), nl.float8_e4m3fn)
        expected = np.einsum("kpm,kpn->mn", nki.as_float(a), nki.as_float(b))

        def call(d, x, y, rows):
            for start in range(0, 128, rows):
                part = slice(start, start + rows)
                nisa.nc_matmul(d, x[part, :, :], y[part, :, :], perf_mode="double_row", tile_position=(start, 0),
                               tile_size=(rows, 128))
        for rows in (64, 32):
            result = run(lambda d, x, y: call(d, x, y, rows), [a, b], (64, 90), F32, buffer=nl.psum)
            np.testing.assert_allclose(result, expected, rtol=1e-3, atol=1e-2)

    def test_mx_product(self):
        a, b = nki.array(self.normal(128, 4 * 64), nl.bfloat16), nki.array(self.normal(128, 4 * 100), nl.bfloat16)

        def call(d, x, y):
            parts = quantized(x, 128, 64) + quantized(y, 128, 100)
            nisa.nc_matmul_mx(d, parts[0], parts[2], parts[1], parts[3])
        result = run(call, [a, b], (64, 100), F32, buffer=nl.psum)
        expected = np.einsum("kms,kns->mn", nki.as_float(a).reshape(128, 64, 4), nki.as_float(b).reshape(128, 100, 4))
        self.assertLess(np.abs(result - expected).max(), 0.08 * np.abs(expected).max())

    def test_mx_product_in_bf16(self):
        a, b = (nki.array(self.normal(64, 4 * 32), nl.bfloat16) for _ in range(2))

        @nki.jit
        def kernel(x, y):
            parts = quantized(nl.load(x), 64, 32) + quantized(nl.load(y), 64, 32)
            outs = []
            for dtype in (nl.bfloat16, F32):
                dst = nl.ndarray((32, 32), dtype=dtype, buffer=nl.psum)
                nisa.nc_matmul_mx(dst, parts[0], parts[2], parts[1], parts[3])
                outs.append(nl.ndarray((32, 32), dtype=dtype, buffer=nl.shared_hbm))
                nl.store(outs[-1], dst)
            return tuple(outs)
        short, wide = kernel(a, b)
        np.testing.assert_array_equal(np.asarray(short), np.asarray(nki.array(wide, nl.bfloat16)))

    def test_mx_product_of_rows(self):
        a, b = nki.array(self.normal(128, 4 * 64), nl.bfloat16), nki.array(self.normal(128, 4 * 100), nl.bfloat16)

        def call(d, x, y, rows=64):
            parts = quantized(x, 128, 64) + quantized(y, 128, 100)
            whole = nl.ndarray((64, 100), dtype=F32, buffer=nl.psum)
            nisa.nc_matmul_mx(whole, parts[0], parts[2], parts[1], parts[3])
            for i in range(128 // rows):
                left, right, left_scale, right_scale = (parts[p][rows * i:rows * (i + 1), :] for p in (0, 2, 1, 3))
                nisa.nc_matmul_mx(d, left, right, left_scale, right_scale, tile_position=(rows * i, 0), tile_size=(rows, 128))
            copied = nl.ndarray((64, 100), dtype=F32, buffer=nl.sbuf)
            nisa.tensor_copy(copied, whole)
            return (copied,)
        for rows in (64, 32):
            result, whole = run(lambda *tiles: call(*tiles, rows=rows), [a, b], (64, 100), F32, buffer=nl.psum)
            np.testing.assert_allclose(result, whole, rtol=1e-5, atol=1e-4)
        for size, position, text in (((64, 64), (0, 0), "tile_size"), ((32, 128), (48, 0), "tile_position"),
                                     ((32, 128), (0, 0), "does not fit tile_size")):
            with self.assertRaisesRegex(nki.NkiValidationError, text):
                @nki.jit
                def wrong(x):
                    tile = nl.ndarray((64, 64), dtype=nl.float8_e4m3fn_x4, buffer=nl.sbuf)
                    dst = nl.ndarray((64, 64), dtype=F32, buffer=nl.psum)
                    nisa.nc_matmul_mx(dst, tile, tile, tile, tile, tile_position=position, tile_size=size)
                wrong(np.zeros((1, 1), np.float32))

    def test_mx_products_of_rows_at_the_same_time(self):
        a, b = (nki.array(self.normal(128, 4 * columns), nl.bfloat16) for columns in (128, 512))

        def measured(tiled):
            @nki.jit
            def kernel(x, y):
                left, left_scale = quantized(nl.load(x), 128, 128)
                right, right_scale = quantized(nl.load(y), 128, 512)
                sums = [nl.ndarray((128, 512), dtype=F32, buffer=nl.psum) for _ in range(4)]
                for _ in range(16):
                    for i, dst in enumerate(sums):
                        rows = slice(32 * i, 32 * i + 32)
                        place = {"tile_position": (32 * i, 0), "tile_size": (32, 128)} if tiled else {}
                        nisa.nc_matmul_mx(dst, left[rows, :], right[rows, :], left_scale[rows, :], right_scale[rows, :], **place)
                outs = [nl.ndarray((128, 512), dtype=F32, buffer=nl.shared_hbm) for _ in sums]
                for out, dst in zip(outs, sums):
                    nl.store(out, dst)
                return tuple(outs)
            results = [np.asarray(r).tobytes() for r in kernel(a, b)]
            return results, kernel.last_run.latency_us
        (whole, in_turn), (tiles, together) = measured(False), measured(True)
        self.assertEqual(tiles, whole)
        # 64 products of 512 cycles at 2.4 GHz take 13.7 us; four at a time a quarter of that.
        self.assertGreater(in_turn - together, 9)

    def test_generations(self):
        for target, version in (("trn1", 2), ("trn2", 3), ("trn3", 4)):
            @nki.jit(platform_target=target)
            def kernel(x):
                out = nl.ndarray((1, 1), dtype=I32, buffer=nl.shared_hbm)
                tile = nl.full((1, 1), int(nisa.get_nc_version()), I32)
                nl.store(out, tile)
                return out
            self.assertEqual(kernel(np.zeros((1, 1), np.int32))[0, 0], version)
        with self.assertRaisesRegex(nki.NkiValidationError, "quantize_mx: chip 'trn1' has no MX formats"):
            @nki.jit(platform_target="trn1")
            def mx(x):
                data = nl.ndarray((32, 8), dtype=nl.float8_e4m3fn_x4, buffer=nl.sbuf)
                scale = nl.ndarray((32, 8), dtype=nl.uint8, buffer=nl.sbuf)
                nisa.quantize_mx(data, nl.load(x), scale)
            mx(nki.array(np.ones((32, 32)), nl.bfloat16))


if __name__ == "__main__":
    unittest.main()

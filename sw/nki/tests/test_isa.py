# SPDX-License-Identifier: Apache-2.0
"""Functions of nki.isa, one call each, against numpy."""
import unittest

import numpy as np

import nki.isa as nisa
import nki.language as nl
from one_call import run

F32, I32, U32, U8, U16 = nl.float32, nl.int32, nl.uint32, nl.uint8, nl.uint16


class Isa(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(11)

    def normal(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def test_tensor_scalar_with_columns_and_order(self):
        x, a = self.normal(128, 60), self.normal(128, 1)
        result = run(lambda d, t, c: nisa.tensor_scalar(d, t, nl.subtract, c, True, nl.multiply, 3.0), [x, a],
                     x.shape, F32)
        np.testing.assert_array_equal(result, (a - x) * np.float32(3))

    def test_tensor_scalar_column_of_bfloat16(self):
        x, a = self.normal(64, 30), self.normal(64, 1).astype(np.float16)
        result = run(lambda d, t, c: nisa.tensor_scalar(d, t, nl.multiply, c), [x, a], x.shape, F32)
        np.testing.assert_array_equal(result, x * a.astype(np.float32))

    def test_bit_operations(self):
        x = self.random.integers(0, 2**32, (128, 17), dtype=np.uint64).astype(np.uint32)
        result = run(lambda d, t: nisa.tensor_scalar(d, t, nl.bitwise_and, 0xff00ff, op1=nl.left_shift, operand1=4), [x],
                     x.shape, U32)
        np.testing.assert_array_equal(result, (x & 0xff00ff) << 4)
        result = run(lambda d, t: nisa.tensor_tensor(d, t, t, nl.bitwise_xor), [x], x.shape, U32)
        np.testing.assert_array_equal(result, 0)

    def test_memset_of_large_integers(self):
        for value, dtype in ((2**31 - 1, I32), (-2**31 + 1, I32), (0xdeadbeef, U32), (7, I32)):
            result = run(lambda d: nisa.memset(d, value), [], (128, 9), dtype)
            np.testing.assert_array_equal(result.astype(np.int64), value)

    def test_scalar_tensor_tensor(self):
        x, y = self.normal(128, 33), self.normal(128, 33)
        result = run(lambda d, a, b: nisa.scalar_tensor_tensor(d, a, nl.multiply, 2.0, nl.add, b), [x, y], x.shape, F32)
        np.testing.assert_array_equal(result, x * np.float32(2) + y)

    def test_tensor_scalar_reduce(self):
        x = self.normal(128, 40)

        def call(d, t):
            total = nl.ndarray((128, 1), dtype=F32, buffer=nl.sbuf)
            nisa.tensor_scalar_reduce(d, t, nl.multiply, 2.0, nl.maximum, total)
            return (total,)
        scaled, largest = run(call, [x], x.shape, F32)
        np.testing.assert_array_equal(scaled, x * np.float32(2))
        np.testing.assert_array_equal(largest[:, 0], scaled.max(1))

    def test_scan(self):
        x, y = self.normal(64, 50), self.normal(64, 50)
        result = run(lambda d, a, b: nisa.tensor_tensor_scan(d, a, b, 0.5, nl.multiply, nl.add), [x, y], x.shape, F32)
        expected, value = np.empty_like(x), np.full(64, 0.5, np.float32)
        for i in range(50):
            value = expected[:, i] = x[:, i] * value + y[:, i]
        np.testing.assert_array_equal(result, expected)

    def test_cumulative(self):
        x = np.abs(self.normal(64, 50))
        result = run(lambda d, a: nisa.tensor_scalar_cumulative(d, a, nl.multiply, nl.maximum, 2.0), [x], x.shape, F32)
        np.testing.assert_array_equal(result, np.maximum.accumulate(x * np.float32(2), axis=1))

    def test_copy_predicated(self):
        x, y = self.normal(128, 20), self.normal(128, 20)
        p = self.random.integers(0, 2, (128, 20)).astype(np.uint8)
        result = run(lambda d, a, q: nisa.tensor_copy_predicated(d, a, q), [x, p], x.shape, F32, start=y)
        np.testing.assert_array_equal(result, np.where(p != 0, x, y))
        result = run(lambda d, q: nisa.tensor_copy_predicated(d, 4.0, q, reverse_pred=True), [p], x.shape, F32, start=y)
        np.testing.assert_array_equal(result, np.where(p == 0, np.float32(4), y))

    def test_select_reduce(self):
        x = self.normal(128, 20)
        p = self.random.integers(0, 2, (128, 20)).astype(np.uint8)
        result = run(lambda d, a, q: nisa.select_reduce(d, q, a, -1.0), [x, p], x.shape, F32)
        np.testing.assert_array_equal(result, np.where(p != 0, x, np.float32(-1)))

    def test_range_select(self):
        x = self.normal(128, 64)
        low = self.random.integers(0, 30, (128, 1)).astype(np.float32)
        high = low + 20
        result = run(lambda d, a, b, c: nisa.range_select(d, a, nl.greater_equal, nl.less, b, c, range_start=3),
                     [x, low, high], x.shape, F32)
        index = np.arange(64) + 3
        keep = (index >= low) & (index < high)
        np.testing.assert_array_equal(result, np.where(keep, x, np.float32(-3.4028234663852886e38)))

    def test_exponential(self):
        x = self.normal(128, 100)
        top = x.max(1, keepdims=True)

        def call(d, t, m):
            total = nl.ndarray((128, 1), dtype=F32, buffer=nl.sbuf)
            nisa.exponential(d, t, m, total, nisa.reduce_cmd.reset_reduce)
            return (total,)
        result, total = run(call, [x, top], x.shape, F32)
        np.testing.assert_allclose(result, np.exp(x - top), rtol=1e-5)
        np.testing.assert_allclose(total[:, 0], np.exp(x - top).sum(1), rtol=1e-5)

    def test_statistics(self):
        x = self.normal(128, 300)

        def call(d, t):
            parts = nl.ndarray((128, 6), dtype=F32, buffer=nl.sbuf)
            nisa.bn_stats(parts, t)
            nisa.bn_aggr(d, parts)
        result = run(call, [x], (128, 2), F32)
        np.testing.assert_allclose(result[:, 0], x.mean(1), atol=1e-6)
        np.testing.assert_allclose(result[:, 1], x.var(1), rtol=1e-5)

    def test_searches(self):
        x = np.stack([self.random.permutation(64) for _ in range(128)]).astype(np.float32)

        def call(d, t):
            index = nl.ndarray((128, 8), dtype=U32, buffer=nl.sbuf)
            replaced = nl.ndarray((128, 64), dtype=F32, buffer=nl.sbuf)
            nisa.max8(d, t)
            nisa.nc_find_index8(index, t, d)
            nisa.nc_match_replace8(replaced, t, d, -1.0)
            return index, replaced
        largest, index, replaced = run(call, [x], (128, 8), F32)
        np.testing.assert_array_equal(largest, np.tile(np.arange(63, 55, -1), (128, 1)))
        np.testing.assert_array_equal(index, np.argsort(-x, axis=1)[:, :8])
        np.testing.assert_array_equal(replaced, np.where(x >= 56, np.float32(-1), x))

    def test_shuffle(self):
        x = self.normal(64, 10)
        mask = [(i + 5) % 32 for i in range(32)]
        result = run(lambda d, t: nisa.nc_stream_shuffle(d, t, mask), [x], x.shape, F32)
        np.testing.assert_array_equal(result, x.reshape(2, 32, 10)[:, mask].reshape(64, 10))

    def test_iota(self):
        result = run(lambda d: nisa.iota(d, [[10, 3], [1, 5]], offset=7, channel_multiplier=100), [], (128, 15), I32)
        expected = 7 + 100 * np.arange(128)[:, None, None] + 10 * np.arange(3)[:, None] + np.arange(5)
        np.testing.assert_array_equal(result, expected.reshape(128, 15))

    def test_affine_select(self):
        x = self.normal(128, 128)
        result = run(lambda d, t: nisa.affine_select(d, [[-1, 128]], 1, t, -9.0, nl.greater_equal), [x], x.shape, F32)
        np.testing.assert_array_equal(result, np.where(np.tri(128, dtype=bool), x, np.float32(-9)))

    def test_gathers(self):
        x = self.normal(128, 40)
        index = self.random.integers(0, 40, (128, 12)).astype(np.uint32)
        result = run(lambda d, t, i: nisa.nc_n_gather(d, t, i), [x, index], (128, 12), F32)
        np.testing.assert_array_equal(result, np.take_along_axis(x, index.astype(int), 1))

    def test_rows_by_index(self):
        table = self.normal(500, 32)
        index = self.random.integers(0, 500, (128, 1)).astype(np.uint32)
        import nki

        @nki.jit
        def gather(table, index):
            out = nl.ndarray((128, 32), dtype=table.dtype, buffer=nl.shared_hbm)
            rows = nl.load(index)
            tile = nl.ndarray((128, 32), dtype=table.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=table.ap([[32, 128], [1, 32]], offset=0, vector_offset=rows))
            nisa.dma_copy(dst=out, src=tile)
            return out
        np.testing.assert_array_equal(gather(table, index), table[index[:, 0]])

    def test_partition_reduce(self):
        x = self.normal(128, 20)
        result = run(lambda d, t: nisa.tensor_partition_reduce(d, nl.maximum, t), [x], (1, 20), F32)
        np.testing.assert_array_equal(result[0], x.max(0))

    def test_transpose_on_vector(self):
        x = self.normal(32, 20)
        result = run(lambda d, t: nisa.nc_transpose(d, t), [x], (20, 32), F32)
        np.testing.assert_array_equal(result, x.T)

    def test_transpose_to_float32(self):
        x = self.normal(128, 100).astype(np.float16)
        result = run(lambda d, t: nisa.nc_transpose(d, t), [x], (100, 128), F32, buffer=nl.psum)
        np.testing.assert_array_equal(result, x.T.astype(np.float32))

    def test_dma_transpose(self):
        x = self.normal(128, 64)
        result = run(lambda d, t: nisa.dma_transpose(d, t), [x], (64, 128), F32)
        np.testing.assert_array_equal(result, x.T)

    def test_products_accumulate(self):
        a, b = self.normal(128, 64), self.normal(128, 100)

        def call(d, x, y):
            for _ in range(3):
                nisa.nc_matmul(d, x, y)
        result = run(call, [a, b], (64, 100), F32, buffer=nl.psum)
        np.testing.assert_allclose(result, 3 * a.astype(np.float64).T @ b, rtol=1e-4, atol=1e-4)

    def test_product_of_a_strided_stationary(self):
        a, b = self.normal(128, 128), self.normal(128, 50)
        result = run(lambda d, x, y: nisa.nc_matmul(d, x[:, 0:128:2], y), [a, b], (64, 50), F32, buffer=nl.psum)
        np.testing.assert_allclose(result, a[:, ::2].astype(np.float64).T @ b, rtol=1e-4, atol=1e-4)

    def test_row_tiles(self):
        a, b = self.normal(128, 64), self.normal(128, 80)
        result = run(lambda d, x, y: nisa.nc_matmul(d, x[64:96, :], y[64:96, :], tile_position=(64, 0), tile_size=(32, 64)),
                     [a, b], (64, 80), F32, buffer=nl.psum)
        np.testing.assert_allclose(result, a[64:96].astype(np.float64).T @ b[64:96], rtol=1e-4, atol=1e-4)

    def test_reductions_of_more_dimensions(self):
        x = self.normal(128, 4, 5, 6)
        for axis in ((3,), (2, 3), (1, 2, 3)):
            shape = x.shape[:min(axis)] if len(axis) < 3 else (128, 1)
            result = run(lambda d, t: nisa.tensor_reduce(d, nl.maximum, t, axis), [x], shape, F32)
            np.testing.assert_array_equal(result.reshape(-1), x.max(axis).reshape(-1))

    def test_random_numbers(self):
        result = run(lambda d: nisa.rand2(d, 2.0, 3.0), [], (128, 500), F32)
        self.assertTrue((result >= 2).all() and (result < 3).all())
        self.assertLess(abs(result.mean() - 2.5), 0.01)

    def test_conversions_in_transfers(self):
        x = self.random.integers(0, 200, (128, 30)).astype(np.uint8)
        import nki

        @nki.jit
        def convert(x):
            out = nl.ndarray(x.shape, dtype=nl.int16, buffer=nl.shared_hbm)
            tile = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x)
            nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=-3.0)
            nisa.dma_copy(dst=out, src=tile)
            return out
        np.testing.assert_array_equal(convert(x), x.astype(np.int16) * -3)

        @nki.jit
        def widen(x):
            out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
            tile = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x)
            nisa.dma_copy(dst=out, src=tile)
            return out
        for columns in (64, 33):  # rows at multiples of 64 bytes, and not
            x = self.normal(128, columns).astype(np.float16)
            np.testing.assert_array_equal(widen(x), x.astype(np.float32))


if __name__ == "__main__":
    unittest.main()

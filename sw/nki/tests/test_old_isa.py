# SPDX-License-Identifier: Apache-2.0
"""Functions of nki.isa of NKI 0.1 that test_old_style leaves, against numpy."""
import sys
import unittest

import numpy as np

from neuronxcc import nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

from test_old_style import normal, on_chip

RANDOM = np.random.default_rng(4)


def empty(*shape, dtype=np.float32):
    return nl.ndarray(shape, dtype=dtype)


class Results(unittest.TestCase):
    """Functions that return a tile."""

    def test_accumulators(self):
        x = normal(64, 20)

        def squares(a):
            total = empty(64, 1)
            made = nisa.activation_reduce(np.square, a, reduce_op=np.add, reduce_res=total)
            return nl.add(made, total)
        expected = x * x + (x * x).sum(1, keepdims=True)
        np.testing.assert_allclose(on_chip(squares, x), expected, rtol=1e-5)

        def largest(a):
            top = empty(64, 1)
            made = nisa.tensor_scalar_reduce(data=a, op0=np.multiply, operand0=2.0, reduce_op=np.max, reduce_res=top)
            return nl.subtract(made, top)
        np.testing.assert_array_equal(on_chip(largest, x), 2 * x - (2 * x).max(1, keepdims=True))

    def test_range_select(self):
        x = normal(128, 64)
        low = RANDOM.integers(0, 30, (128, 1)).astype(np.float32)
        high = low + 20
        result = on_chip(lambda a, b, c: nisa.range_select(on_true_tile=a, comp_op0=np.greater_equal, comp_op1=np.less,
                                                           bound0=b, bound1=c), x, low, high)
        keep = (np.arange(64) >= low) & (np.arange(64) < high)
        np.testing.assert_array_equal(result, np.where(keep, x, np.float32(-3.4028234663852886e38)))

    def test_searches(self):
        x = np.stack([RANDOM.permutation(64) for _ in range(128)]).astype(np.float32)
        index = on_chip(lambda a: nisa.nc_find_index8(data=a, vals=nisa.max8(src=a)), x, dtype=np.uint32)
        np.testing.assert_array_equal(index, np.argsort(-x, axis=1)[:, :8])
        replaced = on_chip(lambda a: nisa.nc_match_replace8(data=a, vals=nisa.max8(src=a), imm=-1.0), x)
        np.testing.assert_array_equal(replaced, np.where(x >= 56, np.float32(-1), x))

    def test_statistics_of_a_part(self):
        x = normal(64, 30)

        def body(a):
            i_p, i_f = nl.arange(64)[:, None], nl.arange(30)[None, :]
            return nisa.bn_aggr(nisa.bn_stats(a[i_p, i_f], mask=i_f < 20))
        np.testing.assert_allclose(on_chip(body, x), np.stack([x[:, :20].mean(1), x[:, :20].var(1)], 1), rtol=1e-5, atol=1e-6)

    def test_gathers(self):
        x, index = normal(32, 100), RANDOM.integers(0, 25, (32, 2)).astype(np.uint16)
        result = on_chip(lambda a, i: nisa.local_gather(a, i, num_elem_per_idx=4), x, index)
        for core in range(2):
            numbers = index[16 * core:16 * core + 16].T.reshape(-1)  # item i: partition i % 16, column i / 16
            expected = np.stack([x[16 * core:16 * core + 16, n:n + 4] for n in numbers], axis=1)
            np.testing.assert_array_equal(result[16 * core:16 * core + 16], expected.reshape(16, 128))

    def test_partitions(self):
        x = normal(128, 20)
        np.testing.assert_array_equal(on_chip(lambda a: nisa.tensor_partition_reduce(np.max, a), x), x.max(0, keepdims=True))
        ids = np.array([[1, 1, 1, 2, 2, 0, 3, 3]], np.float32)
        bounds = on_chip(lambda a: nisa.sequence_bounds(segment_ids=a), ids)
        np.testing.assert_array_equal(bounds[0], [[0, 0, 0, 3, 3, 8, 6, 6], [3, 3, 3, 5, 5, -1, 8, 8]])

    def test_dropout(self):
        result = on_chip(lambda a: nisa.dropout(a, prob=0.25), np.ones((128, 400), np.float32))
        self.assertTrue(np.isin(result, (0, 1)).all())
        self.assertAlmostEqual(result.mean(), 0.75, delta=0.01)

    def test_transposes(self):
        x = normal(128, 64)

        @nki.jit
        def kernel(x):
            out = nl.ndarray((64, 128), dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, nisa.dma_transpose(x))
            return out
        np.testing.assert_array_equal(kernel(x), x.T)
        twice = on_chip(lambda a: nisa.nc_transpose(nisa.nc_transpose(a)), x)
        np.testing.assert_array_equal(twice, x)
        small = on_chip(lambda a: nisa.nc_transpose(a[0:32, 0:32], engine=nisa.vector_engine), x)
        np.testing.assert_array_equal(small, x[:32, :32].T)

    def test_masks_of_all_or_nothing(self):
        x = normal(64, 32)
        for mask, expected in ((True, x.T), (False, np.zeros((32, 64))), (nl.arange(64)[:, None] < 64, x.T)):
            def body(a):
                made = nl.zeros((32, 64), a.dtype)
                made[...] = nisa.tensor_copy(nisa.nc_transpose(a, mask=mask), mask=mask is not False)
                return made
            np.testing.assert_array_equal(on_chip(body, x), expected)
        with self.assertRaisesRegex(nki.NkiNotSupportedError, r"nc_transpose\(mask=\) that cuts"):
            on_chip(lambda a: nisa.nc_transpose(a, mask=nl.arange(64)[:, None] < 60), x)

    def test_selection_from_psum(self):
        a, b = (RANDOM.integers(-9, 9, s).astype(np.float32) for s in ((64, 32), (64, 40)))

        def body(x, y):
            rows, columns = nl.arange(32)[:, None], nl.arange(40)[None, :]
            return nisa.affine_select(pred=columns > rows + 2, on_true_tile=nisa.nc_matmul(x, y), on_false_value=0.0)
        rows, columns = np.arange(32)[:, None], np.arange(40)[None, :]
        np.testing.assert_array_equal(on_chip(body, a, b), np.where(columns > rows + 2, a.T @ b, 0))


class Destinations(unittest.TestCase):
    """Functions that write an argument."""

    def test_predicates(self):
        x, y = normal(64, 20), normal(64, 20)
        p = RANDOM.integers(0, 2, (64, 20)).astype(np.uint8)

        def copied(a, b, q):
            nisa.tensor_copy_predicated(src=a, dst=b, predicate=q)
            return b
        np.testing.assert_array_equal(on_chip(copied, x, y, p), np.where(p != 0, x, y))

        def selected(a, q):
            made = empty(64, 20)
            nisa.select_reduce(dst=made, predicate=q, on_true=a, on_false=-1.0)
            return made
        np.testing.assert_array_equal(on_chip(selected, x, p), np.where(p != 0, x, np.float32(-1)))

    def test_shuffle(self):
        x, order = normal(64, 10), [(i + 5) % 32 for i in range(32)]

        def body(a):
            made = empty(64, 10)
            nisa.nc_stream_shuffle(src=a, dst=made, shuffle_mask=order)
            return made
        np.testing.assert_array_equal(on_chip(body, x), x.reshape(2, 32, 10)[:, order].reshape(64, 10))

    def test_transfers(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            made = nl.zeros((128, 20), x.dtype)
            i_p, i_f = nl.arange(128)[:, None], nl.arange(20)[None, :]
            nisa.dma_copy(dst=made[i_p, i_f], src=x[i_p, i_f], mask=i_p < 50)
            nisa.dma_copy(dst=out[i_p, i_f], src=made[i_p, i_f], mask=i_p < 100)
            return out
        x = normal(100, 20)
        np.testing.assert_array_equal(kernel(x), np.where(np.arange(100)[:, None] < 50, x, 0))

    def test_rows_by_a_tile(self):
        @nki.jit
        def kernel(table, order):
            out = nl.ndarray((100, 30), dtype=table.dtype, buffer=nl.shared_hbm)
            i_p, i_f = nl.arange(100)[:, None], nl.arange(30)[None, :]
            rows = nl.load(order)
            nl.store(out[rows[i_p, 0], i_f], value=nl.load(table[rows, 2 + i_f], mask=i_p < 90), mask=i_p < 90)
            return out
        table, order = normal(100, 40), RANDOM.permutation(100).astype(np.int32).reshape(100, 1)
        first = order[:90, 0]
        np.testing.assert_array_equal(kernel(table, order)[first], table[first, 2:32])

    def test_products_of_parts_by_size(self):
        """Each use of an index is an nl.arange of its own."""
        @nki.jit
        def kernel(a, b):
            out = nl.ndarray((64, 300), dtype=np.float32, buffer=nl.shared_hbm)
            x, y = nl.load(a), nl.load(b)
            psum = nl.zeros((nl.par_dim(64), 400), np.float32, buffer=nl.psum)
            psum[nl.arange(64)[:, None], nl.arange(400)[None, :]] += nisa.nc_matmul(
                x[nl.arange(128)[:, None], nl.arange(64)[None, :]], y[nl.arange(128)[:, None], nl.arange(400)[None, :]],
                mask=-1 * nl.arange(400)[None, :] + 299 >= 0)
            nl.store(out, nl.copy(psum[:, 0:300]))
            return out
        a, b = (RANDOM.integers(-9, 9, s).astype(np.float32) for s in ((128, 64), (128, 400)))
        np.testing.assert_array_equal(kernel(a, b), a.T @ b[:, :300])


class Transfers(unittest.TestCase):
    def test_sums_in_hbm(self):
        @nki.jit
        def kernel(x, index, rows):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, nl.load(x))
            at, values, i_f = nl.load(index), nl.load(rows), nl.arange(32)[None, :]
            nl.atomic_rmw(out[at, i_f], value=values, op=np.add)
            nisa.dma_copy(dst=out[at, i_f], src=values, dst_rmw_op=np.add)
            return out
        x, rows = normal(128, 32), normal(64, 32)
        index = np.random.default_rng(4).permutation(128)[:64].astype(np.int32).reshape(64, 1)
        expected = x.copy()
        expected[index[:, 0]] += rows
        expected[index[:, 0]] += rows
        np.testing.assert_array_equal(kernel(x, index, rows), expected)

    def test_rows_transposed(self):
        @nki.jit
        def kernel(x, index):
            at = nl.load(index)
            i_y, i_z = nl.arange(4)[None, :, None], nl.arange(64)[None, None, :]
            dst = nisa.dma_transpose(x[at, i_y, i_z], axes=(2, 1, 0))
            out = nl.ndarray((64, 4, 32), dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, dst)
            return out
        x = np.arange(50 * 4 * 64).reshape(50, 4, 64).astype(np.uint16)
        index = np.random.default_rng(4).integers(0, 50, (32, 1)).astype(np.uint32)
        np.testing.assert_array_equal(kernel(x, index), x[index[:, 0]].transpose(2, 1, 0))

    def test_products_on_parts_of_the_array(self):
        @nki.jit
        def kernel(x, y):
            out = nl.ndarray((4, 32, 50), dtype=x.dtype, buffer=nl.shared_hbm)
            a, b = nl.load(x), nl.load(y)
            for i in nl.affine_range(4):
                product = nisa.nc_matmul(a, b, tile_position=((i % 2) * 64, (i // 2) * 64), tile_size=(64, 64))
                nl.store(out[i], product)
            return out
        x, y = normal(64, 32), normal(64, 50)
        for product in kernel(x, y):
            np.testing.assert_allclose(product, x.T @ y, rtol=1e-5, atol=1e-4)


if __name__ == "__main__":
    sys.exit(unittest.main())

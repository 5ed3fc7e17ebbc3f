# SPDX-License-Identifier: Apache-2.0
"""Elements by numbers that a tile has: the largest ones, columns on chip, rows in HBM."""
import unittest

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl
from one_call import run

F32, BF16, I32, U32, U16 = nl.float32, nl.bfloat16, nl.int32, nl.uint32, nl.uint16


def snake(tile):
    """The lists of each 16 partitions: element i in partition i % 16, column i // 16."""
    groups = tile.reshape(-1, 16, tile.shape[1])
    return groups.transpose(0, 2, 1).reshape(len(groups), -1)


class Indirect(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(31)

    def normal(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def test_topk(self):
        for partitions, n, k, columns in ((16, 42, 8, 3), (128, 300, 35, 20), (48, 64, 16, 4), (32, 33, 33, 3), (64, 8, 1, 1)):
            values = self.random.permutation(partitions * columns).reshape(partitions, columns).astype(np.float32)
            values = values % 256 if partitions * columns > 256 else values  # exact in bfloat16
            src = nki.array(values, BF16)
            indices = []

            def call(dst, tile, n=n, k=k, partitions=partitions, indices=indices):
                more = nl.ndarray((partitions, k), dtype=U32, buffer=nl.sbuf)
                nisa.topk(val_dst=dst, idx_dst=more, src=tile, n=n)
                return (more,)
            top, where = run(call, [src], (partitions, k), BF16)
            top = nki.as_float(top)
            for group, row in enumerate(snake(values)):
                expected = np.sort(row[:n])[-k:]
                for p in range(16 * group, 16 * group + 16):
                    np.testing.assert_array_equal(top[p], expected)
                    np.testing.assert_array_equal(row[where[p]], expected)
                    self.assertEqual(len(set(where[p])), k)
                    self.assertLess(where[p].max(), n)

    def test_topk_of_other_partitions(self):
        values = self.random.permutation(64).reshape(32, 2).astype(np.float32)

        @nki.jit
        def kernel(x):
            wide = nl.ndarray((96, 2), dtype=BF16, buffer=nl.sbuf)
            top = nl.ndarray((96, 4), dtype=BF16, buffer=nl.sbuf)
            where = nl.ndarray((96, 4), dtype=U32, buffer=nl.sbuf)
            nisa.dma_copy(dst=wide[64:96, :], src=x)
            nisa.topk(top[64:96, :], where[64:96, :], wide[64:96, :], 32)
            out = nl.ndarray((32, 4), dtype=BF16, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=out, src=top[64:96, :])
            return out
        top = nki.as_float(kernel(nki.array(values, BF16)))
        for group, row in enumerate(snake(values)):
            np.testing.assert_array_equal(top[16 * group], np.sort(row)[-4:])

    def columns(self, function, x, index, count, group=16):
        """Columns of x by offsets: each group of partitions has a list of its own."""
        lists = index.reshape(-1, group, index.shape[1]).transpose(0, 2, 1).reshape(x.shape[0] // group, -1)[:, :count]
        return np.stack([function(x[p], lists[p // group]) for p in range(x.shape[0])])

    def test_columns_gathered(self):
        x = self.normal(64, 200)
        for kind in (np.uint16, np.uint32, np.int32):
            index = self.random.integers(0, 200, (64, 3)).astype(kind)
            expected = self.columns(lambda row, places: row[places], x, index, 40)
            result = run(lambda dst, a, i: nisa.tensor_copy(dst=dst, src=a.indirect(i, 40)), [x, index], (64, 40), F32)
            np.testing.assert_array_equal(result, expected)
            result = run(lambda dst, a, i: nisa.activation(dst=dst, op=nl.square, data=a.indirect(i)), [x, index],
                         (64, 48), F32)
            expected = self.columns(lambda row, places: row[places], x, index, 48)
            np.testing.assert_allclose(result, expected * expected, rtol=1e-6)

    def test_columns_of_a_part_in_psum(self):
        x, index = self.normal(32, 64), self.random.integers(0, 16, (32, 1)).astype(np.uint32)

        def call(dst, a, i):
            wide = nl.ndarray((96, 64), dtype=F32, buffer=nl.psum)
            nisa.tensor_copy(dst=wide[64:96, :], src=a)
            nisa.tensor_tensor(dst=dst, data1=wide[64:96, 8:24].indirect(i, 16), data2=a[:, 0:16], op=nl.add)
        expected = self.columns(lambda row, places: row[8:24][places], x, index, 16) + x[:, 0:16]
        np.testing.assert_array_equal(run(call, [x, index], (32, 16), F32), expected)

    def test_columns_of_a_product(self):
        k, m, n = self.normal(64, 48), self.normal(64, 200), 40
        index = self.random.integers(0, 200, (64, 2)).astype(np.uint16)
        moving = self.columns(lambda row, places: row[places], m, index, n, group=32)

        def call(dst, stationary, a, i):
            nisa.nc_matmul(dst=dst, stationary=stationary, moving=a.indirect(i, n))
        result = run(call, [k, m, index], (48, n), F32, buffer=nl.psum)
        np.testing.assert_allclose(result, k.T @ moving, rtol=1e-5, atol=1e-5)

    def test_columns_scattered(self):
        start, x = self.normal(64, 50), self.normal(64, 20)
        index = np.stack([self.random.permutation(50)[:32] for _ in range(4)]).reshape(4, 2, 16)
        index = index.transpose(0, 2, 1).reshape(64, 2).astype(np.uint32)

        def call(dst, a, i):
            nisa.tensor_scalar(dst=dst.indirect(i, 20), data=a, op0=nl.multiply, operand0=2.0)
        result = run(call, [x, index], (64, 50), F32, start=start)
        lists = index.reshape(-1, 16, 2).transpose(0, 2, 1).reshape(4, -1)[:, :20]
        expected = start.copy()
        for p in range(64):
            expected[p, lists[p // 16]] = 2 * x[p]
        np.testing.assert_array_equal(result, expected)

    def test_columns_copied_where(self):
        start, x = self.normal(32, 30), self.normal(32, 16)
        where = self.random.integers(0, 2, (32, 16)).astype(np.uint8)
        index = np.stack([self.random.permutation(30)[:16] for _ in range(2)]).reshape(32, 1).astype(np.uint16)

        def call(dst, a, w, i):
            nisa.tensor_copy_predicated(dst=dst.indirect(i, 16), src=a, predicate=w)
        result = run(call, [x, where, index], (32, 30), F32, start=start)
        expected = start.copy()
        for p in range(32):
            for j, place in enumerate(index[p // 16 * 16:p // 16 * 16 + 16, 0]):
                if where[p, j]:
                    expected[p, place] = x[p, j]
        np.testing.assert_array_equal(result, expected)

    def test_rows_transposed(self):
        for columns, partitions, count, kind in ((1, 128, 128, BF16), (1, 32, 32, BF16), (2, 128, 256, BF16), (2, 128, 192, U16)):
            table = self.random.integers(-128, 128, (300, 128))
            table = nki.array(table.astype(np.float32), kind) if kind == BF16 else (table + 128).astype(np.uint16)
            index = self.random.integers(0, 300, (partitions, columns)).astype(np.uint32)

            @nki.jit
            def kernel(table, index):
                at = nl.load(index)
                dst = nl.ndarray((128, count), dtype=table.dtype, buffer=nl.sbuf)
                nisa.dma_transpose(dst=dst, axes=(1, 0),
                                   src=table.ap([[128, count], [1, 128]], vector_offset=at, indirect_dim=0))
                out = nl.ndarray(dst.shape, dtype=table.dtype, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=out, src=dst)
                return out
            flat = index.T.flatten()[:count]
            np.testing.assert_array_equal(np.asarray(kernel(table, index)), np.asarray(table)[flat].T)

    def test_rows_transposed_in_four_dimensions(self):
        table = self.random.integers(0, 60000, (50, 3, 1, 64)).astype(np.uint16)
        index = self.random.integers(0, 50, (128, 2)).astype(np.uint32)

        @nki.jit
        def kernel(table, index):
            at = nl.load(index)
            dst = nl.ndarray((64, 3, 1, 256), dtype=table.dtype, buffer=nl.sbuf)
            nisa.dma_transpose(dst=dst, axes=(3, 1, 2, 0), src=table.ap([[192, 256], [64, 3], [64, 1], [1, 64]],
                                                                        vector_offset=at))
            out = nl.ndarray(dst.shape, dtype=table.dtype, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=out, src=dst)
            return out
        np.testing.assert_array_equal(kernel(table, index), table[index.T.flatten()].transpose(3, 1, 2, 0))

    def test_rows_transposed_and_left_out(self):
        table = self.random.integers(0, 60000, (40, 64)).astype(np.uint16)
        index = self.random.integers(0, 80, (32, 1)).astype(np.uint32)

        @nki.jit
        def kernel(table, index):
            at = nl.load(index)
            dst = nl.ndarray((64, 32), dtype=table.dtype, buffer=nl.sbuf)
            nisa.memset(dst=dst, value=7)
            nisa.dma_transpose(dst=dst, src=table.ap([[64, 32], [1, 64]], vector_offset=at), oob_mode=nisa.oob_mode.skip)
            out = nl.ndarray(dst.shape, dtype=table.dtype, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=out, src=dst)
            return out
        expected = np.full((64, 32), 7, np.uint16)
        inside = index[:, 0] < 40
        expected[:, inside] = table[index[inside, 0]].T
        np.testing.assert_array_equal(kernel(table, index), expected)

    def test_rows_between_any_sides(self):
        table, other = self.normal(100, 24), self.normal(80, 24)
        index = self.random.permutation(80)[:64].astype(np.uint32).reshape(64, 1)

        @nki.jit
        def kernel(table, other, index):
            at = nl.load(index)
            rows = nl.ndarray((64, 24), dtype=table.dtype, buffer=nl.shared_hbm)
            short = nl.ndarray((64, 24), dtype=BF16, buffer=nl.shared_hbm)
            part = nl.ndarray((64, 12), dtype=table.dtype, buffer=nl.shared_hbm)
            source = table.ap([[24, 64], [1, 24]], vector_offset=at)
            nisa.dma_copy(dst=rows, src=source)  # HBM to HBM
            narrow = nl.ndarray((64, 24), dtype=BF16, buffer=nl.sbuf)
            nisa.dma_copy(dst=narrow, src=source)  # converted
            nisa.dma_copy(dst=short, src=narrow)
            spread = nl.ndarray((64, 24), dtype=table.dtype, buffer=nl.sbuf)
            nisa.memset(dst=spread, value=0.0)
            nisa.dma_copy(dst=spread[:, 0:24:2], src=table.ap([[24, 64], [2, 12]], offset=1, vector_offset=at))
            nisa.dma_copy(dst=part, src=spread[:, 0:24:2])  # every second element, to every second one
            nisa.dma_copy(dst=other.ap([[24, 64], [1, 24]], vector_offset=at), src=source)  # both sides
            return rows, short, part, other
        rows, short, part, updated = kernel(table, other.copy(), index)
        np.testing.assert_array_equal(rows, table[index[:, 0]])
        np.testing.assert_array_equal(nki.as_float(short), nki.as_float(nki.array(table[index[:, 0]], BF16)))
        np.testing.assert_array_equal(part, table[index[:, 0]][:, 1::2])
        expected = other.copy()
        expected[index[:, 0]] = table[index[:, 0]]
        np.testing.assert_array_equal(updated, expected)

    def test_rows_of_another_dimension(self):
        table = self.normal(5, 40, 16)
        index = self.random.integers(0, 40, (32, 1)).astype(np.int32)

        @nki.jit
        def kernel(table, index):
            at = nl.load(index)
            out = nl.ndarray((5, 32, 16), dtype=table.dtype, buffer=nl.shared_hbm)
            for block in range(5):
                tile = nl.ndarray((32, 16), dtype=table.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=table.ap([[16, 32], [1, 16]], offset=block * 640, vector_offset=at, indirect_dim=1))
                nisa.dma_copy(dst=out[block], src=tile)
            return out
        np.testing.assert_array_equal(kernel(table, index), table[:, index[:, 0]])

    def test_parts_of_selected_rows(self):
        table = self.normal(70, 24)
        index = self.random.integers(0, 70, (32, 1)).astype(np.uint32)

        @nki.jit
        def kernel(table, index):
            tile = nl.ndarray((32, 8), dtype=table.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=table.vector_select(0, nl.load(index))[:, 5:13])
            out = nl.ndarray((32, 8), dtype=table.dtype, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=out, src=tile)
            return out
        np.testing.assert_array_equal(kernel(table, index), table[index[:, 0], 5:13])

    def test_messages(self):
        x, index = self.normal(64, 32), np.zeros((64, 1), np.uint16)

        def refused(call, error, text, *arrays):
            with self.assertRaisesRegex(error, text):
                run(call, arrays or [x, index], (64, 16), F32)
        bad, missing = nki.NkiValidationError, nki.NkiNotSupportedError
        refused(lambda dst, a, i: nisa.tensor_copy(dst=dst, src=a.indirect(i, 40)), bad, "40 of the offsets")
        refused(lambda dst, a, i: nisa.tensor_copy(dst=dst, src=a.indirect(i[0:32, :])), bad, "one row for each partition")
        refused(lambda dst, a, i: nisa.tensor_copy(dst=dst, src=a.indirect(i)[:, 0:4]), missing, "a view of an indirect one")
        refused(lambda dst, a, i: nisa.dma_copy(dst=dst, src=a.indirect(i)), missing, r"indirect\(\) as 'src' of 'dma_copy'")
        refused(lambda dst, a, i: nisa.tensor_copy(dst=dst[0:8, :], src=a[0:8, :].indirect(i[0:8, :], 8)), missing,
                "multiples of 16 partitions")
        refused(lambda dst, a, i: nisa.tensor_copy(dst=dst, src=a.indirect(3)), bad, "index must be a tensor, got int")
        refused(lambda dst, a, i: nisa.topk(dst, dst, 7, 64), bad, "val_dst of float32 in 'sbuf': expected bfloat16")
        refused(lambda dst, a, i: nisa.topk(dst, dst, a, 64), bad, "val_dst of float32 in 'sbuf': expected bfloat16")
        short = nki.array(x, BF16)

        def too_many(dst, a):
            top, where = (nl.ndarray((64, 20), dtype=t, buffer=nl.sbuf) for t in (BF16, U32))
            nisa.topk(top, where, a, 16)
        refused(too_many, bad, "20 of 16 elements", short)


if __name__ == "__main__":
    unittest.main()

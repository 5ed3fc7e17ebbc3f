# SPDX-License-Identifier: Apache-2.0
"""Views by name, remainders, reductions over partitions, and other compositions, against numpy."""
import unittest

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl
from one_call import run
from test_language import tiles

F32 = nl.float32


class Small(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(41)

    def normal(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def test_rearrange(self):
        x = self.normal(64, 24)
        expected = x.reshape(64, 4, 6).transpose(0, 2, 1)
        got = tiles(lambda t: nl.copy(t.rearrange(("b", ("h", "w")), ("b", "w", "h"), {"h": 4})), x)
        np.testing.assert_array_equal(got, expected)

        @nki.jit
        def kernel(x):
            out = nl.ndarray((32, 2, 24), dtype=F32, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=out.rearrange(("b", "a", "f"), (("a", "b"), "f")), src=nl.load(x))
            return out
        with self.assertRaises(AssertionError):  # no view has these strides
            kernel(x)
        for pattern, sizes in (((("b", "w"), "b", {}), {}), ((("b", ("h", "w")), ("b", "w"), {}), {}),
                               ((("b", ("h", "w")), ("b", "w", "h"), {}), {"h": 5})):
            with self.assertRaises(nki.NkiValidationError):
                tiles(lambda t: nl.copy(t.rearrange(pattern[0], pattern[1], sizes)), x)

    def test_vector_select(self):
        @nki.jit
        def kernel(table, rows):
            out = nl.ndarray((32, 5, 8), dtype=F32, buffer=nl.shared_hbm)
            tile = nl.ndarray((32, 5, 8), dtype=F32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=table.vector_select(0, nl.load(rows)))
            nisa.dma_copy(dst=out, src=tile)
            return out
        table, rows = self.normal(64, 5, 8), self.random.integers(0, 64, (32, 1)).astype(np.int32)
        np.testing.assert_array_equal(kernel(table, rows), table[rows[:, 0]])

    def test_remainders(self):
        x = np.round(self.normal(64, 60) * 40).astype(np.float32)
        y = self.random.choice([1.0, 2.0, 4.0, -8.0], (64, 60)).astype(np.float32)  # exact reciprocals
        for name in ("mod", "fmod"):
            function, expected = getattr(nl, name), getattr(np, name)
            np.testing.assert_array_equal(tiles(function, x, y), expected(x, y))
            np.testing.assert_array_equal(tiles(lambda t: function(t, 8.0), x), expected(x, np.float32(8)))
            np.testing.assert_array_equal(tiles(lambda t: function(50.0, t), y), expected(np.float32(50), y))

    def test_reductions_over_partitions(self):
        x = np.round(self.normal(96, 10, 6) * 8).astype(np.float32)
        for name in ("sum", "max", "min"):
            function, expected = getattr(nl, name), getattr(np, name)
            np.testing.assert_array_equal(tiles(lambda t: function(t, 0), x), expected(x, 0)[None])
            np.testing.assert_array_equal(tiles(lambda t: function(t, (0, 2), keepdims=True), x),
                                          expected(x, (0, 2), keepdims=True))
        np.testing.assert_allclose(tiles(lambda t: nl.mean(t, (0, 2)), x)[0], x.mean((0, 2)), rtol=1e-6, atol=1e-6)
        flat = x[:, :, 0].copy()
        average = run(lambda dst, a: nisa.tensor_partition_reduce(dst, "average", a), [flat], (1, 10), F32)
        np.testing.assert_allclose(average, flat.mean(0, keepdims=True), rtol=1e-6, atol=1e-6)
        with self.assertRaisesRegex(nki.NkiNotSupportedError, "prod over partitions"):
            tiles(lambda t: nl.prod(t, 0), x)

    def test_results_that_nobody_wants(self):
        @nki.jit
        def kernel(x, wanted):
            out = nl.ndarray((128, 2), dtype=F32, buffer=nl.shared_hbm)
            both = nl.ndarray((128, 2), dtype=F32, buffer=nl.sbuf)
            waste = nl.ndarray((128, 1), dtype=F32, buffer=nl.sbuf)
            nisa.activation_reduce(dst=waste.ap([[1, 128], [0, 60]]), op=nl.square, data=nl.load(x), reduce_op=nl.add,
                                   reduce_res=both[:, 0:1])
            nisa.tensor_copy(dst=both[:, 1:2], src=waste if wanted else both[:, 0:1])
            nisa.dma_copy(dst=out, src=both)
            return out
        x = np.round(self.normal(128, 60) * 4).astype(np.float32)
        for wanted in (False, True):
            total = np.square(x).sum(1)
            np.testing.assert_array_equal(kernel(x, wanted), np.stack([total, x[:, -1]**2 if wanted else total], 1))

    def test_transpose_of_what_is_partly_written(self):
        @nki.jit
        def kernel(x, used):
            out = nl.ndarray((4, 128), dtype=F32, buffer=nl.shared_hbm)
            tile = nl.ndarray((128, 32), dtype=F32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile[:, 0:4], src=x)
            turned = nl.ndarray((32, 128), dtype=F32, buffer=nl.psum)
            nisa.nc_transpose(turned, tile)
            result = nl.ndarray((used, 128), dtype=F32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=result, src=turned[0:used, :])
            nisa.dma_copy(dst=out, src=result[0:4, :])
            nisa.dma_copy(dst=nl.ndarray((used, 128), dtype=F32, buffer=nl.hbm), src=result)
            return out
        x = self.normal(128, 4)
        np.testing.assert_array_equal(kernel(x, 4), x.T)
        with self.assertRaisesRegex(nki.NkiValidationError, "only partly written"):
            kernel(x, 5)

    def test_shuffle_of_a_part_of_a_group(self):
        x = self.normal(128, 20)
        one = run(lambda dst, a: nisa.nc_stream_shuffle(dst[0:16, :], a[0:1, :], [0] * 32), [x], (16, 20), F32)
        np.testing.assert_array_equal(one, np.repeat(x[:1], 16, 0))
        mask = list(range(7, -1, -1)) + [255] * 24
        got = run(lambda dst, a: nisa.nc_stream_shuffle(dst, a[64:104, :], mask), [x], (40, 20), F32, start=x[:40])
        expected = x[:40].copy()
        for first in (0, 32):
            for i in range(8):
                expected[first + i] = x[64 + first + 7 - i]
        np.testing.assert_array_equal(got, expected)
        for shapes in ((16, 40, 20), (16, 1, 19)):
            with self.assertRaises(nki.NkiValidationError):
                run(lambda dst, a: nisa.nc_stream_shuffle(dst, a[0:shapes[1], 0:shapes[2]], [0] * 32), [x], (16, 20), F32)
        with self.assertRaisesRegex(nki.NkiValidationError, "has not"):
            run(lambda dst, a: nisa.nc_stream_shuffle(dst, a[0:1, :], [1] * 32), [x], (16, 20), F32)

    def test_activate2_with_a_function(self):
        x, shift = self.normal(128, 40), self.normal(128, 1)

        def call(dst, data, column):
            total = nl.ndarray((128, 1), dtype=F32, buffer=nl.sbuf)
            nisa.activate2(dst, nl.square, data, 2.0, column, nl.multiply, nl.subtract, reduce_op=nl.add,
                           reduce_res=total, reduce_cmd=nisa.reduce_cmd.reset_reduce)
            return (total,)
        got, total = run(call, [x, shift], (128, 40), F32)
        np.testing.assert_allclose(got, np.square(2 * x - shift), rtol=1e-6)
        np.testing.assert_allclose(total[:, 0], got.sum(1), rtol=1e-5)


if __name__ == "__main__":
    unittest.main()

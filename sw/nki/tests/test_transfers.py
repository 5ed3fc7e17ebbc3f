# SPDX-License-Identifier: Apache-2.0
"""Transfers that convert between any types, and of five dimensions."""
import unittest

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

TYPES = (nl.float32, nl.bfloat16, nl.float16, nl.float8_e5m2, nl.float8_e4m3, nl.int8, nl.uint8, nl.int16, nl.uint16, nl.int32,
         nl.uint32)


class Transfers(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(3)

    def test_every_pair_of_types(self):
        values = self.random.integers(0, 9, (96, 20))  # exact in each of them

        @nki.jit
        def kernel(x, targets):
            results = []

            def out(dtype, src):
                results.append(nl.ndarray(x.shape, dtype=dtype, buffer=nl.shared_hbm))
                nisa.dma_copy(dst=results[-1], src=src)
            same = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=same, src=x)
            for dtype in targets:
                loaded, moved = (nl.ndarray(x.shape, dtype=dtype, buffer=nl.sbuf) for _ in range(2))
                nisa.dma_copy(dst=loaded, src=x)  # into SBUF
                out(dtype, loaded)
                nisa.dma_copy(dst=moved, src=same)  # within SBUF
                out(dtype, moved)
                out(dtype, same)  # into HBM
                out(dtype, x)  # within HBM
            return tuple(results)
        for source in TYPES:
            targets = tuple(dtype for dtype in TYPES if dtype != source)
            results = kernel(nki.array(values, source), targets)
            for i, result in enumerate(results):
                expected = np.asarray(nki.array(values, targets[i // 4]))
                np.testing.assert_array_equal(np.asarray(result), expected, err_msg=f"{source} to {targets[i // 4]}")

    def test_types_without_arithmetic(self):
        x = self.random.standard_normal((32, 16)).astype(np.float32)

        @nki.jit
        def kernel(x, dtype):
            same, out = (nl.ndarray(x.shape, dtype=t, buffer=nl.shared_hbm) for t in (dtype, nl.bfloat16))
            tile = nl.ndarray(x.shape, dtype=dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile.view(nl.float32) if dtype == nl.tfloat32 else tile, src=x)
            nisa.dma_copy(dst=out, src=tile)
            nisa.dma_copy(dst=same, src=tile)
            return out
        np.testing.assert_array_equal(np.asarray(kernel(x, nl.tfloat32)), np.asarray(nki.array(x, nl.bfloat16)))
        for dtype in (nl.float8_e8m0fnu, nl.float8_e4m3fn_x4, nl.float4_e2m1fn_x4):
            with self.assertRaisesRegex(nki.NkiNotSupportedError, f"dma_copy: from float32 to {dtype} is not supported"):
                kernel(x, dtype)

    def test_conversions_within_hbm(self):
        shapes = [((1000,), (1000,)), ((7,), (7,)), ((3, 5000), (3, 5000)), ((300, 40), (300, 40)), ((2, 3, 50), (300,)),
                  ((1, 4099), (4099,)), ((2, 2, 2, 2, 9), (2, 2, 2, 2, 9))]
        for first, second in shapes:
            @nki.jit
            def kernel(x):
                out = nl.ndarray(second, dtype=nl.int16, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=out, src=x)
                return out
            x = np.round(self.random.standard_normal(first) * 100).astype(np.float32)
            np.testing.assert_array_equal(kernel(x), x.reshape(second).astype(np.int16))

    def test_conversion_of_a_part_within_hbm(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray((40, 25), dtype=nl.bfloat16, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=out, src=x.permute((1, 0))[0:80:2, 5:30])
            return out
        x = np.round(self.random.standard_normal((40, 80)) * 50).astype(np.float32)
        np.testing.assert_array_equal(nki.as_float(kernel(x)), x.T[0:80:2, 5:30])

    def test_five_dimensions(self):
        x = self.random.standard_normal((4, 3, 6, 5, 8)).astype(np.float32)

        @nki.jit
        def kernel(x):
            turned = nl.ndarray((8, 3, 5, 4, 6), dtype=x.dtype, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=turned, src=x.permute((4, 1, 3, 0, 2)))  # within HBM
            tile = nl.ndarray((4, 3, 3, 5, 4), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[:, :, 0:6:2, :, 1:8:2])  # into SBUF
            part = nl.ndarray((3, 3, 5, 4, 4), dtype=x.dtype, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=part.permute((3, 0, 1, 2, 4)), src=tile)  # out of it
            return turned, part
        turned, part = kernel(x)
        np.testing.assert_array_equal(turned, x.transpose(4, 1, 3, 0, 2))
        np.testing.assert_array_equal(part, x[:, :, 0:6:2, :, 1:8:2].transpose(1, 2, 3, 0, 4))

    def test_five_dimensions_in_a_loop(self):
        x = self.random.standard_normal((2, 3, 4, 5, 8)).astype(np.float32)

        @nki.jit
        def kernel(x):
            out = nl.ndarray((2, 8, 5, 4, 3), dtype=x.dtype, buffer=nl.shared_hbm)
            for i in nl.dynamic_range(0, 1):
                tile = nl.ndarray((2, 8, 5, 4, 3), dtype=x.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=x.permute((0, 4, 3, 2, 1)))
                nisa.dma_copy(dst=out, src=tile)
            return out
        np.testing.assert_array_equal(kernel(x), x.transpose(0, 4, 3, 2, 1))


if __name__ == "__main__":
    unittest.main()

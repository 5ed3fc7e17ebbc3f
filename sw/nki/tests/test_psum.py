# SPDX-License-Identifier: Apache-2.0
"""Tiles in PSUM: of types of 1 and 2 bytes as results and operands, over several banks."""
import unittest

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl
from one_call import loaded

F32, BF16, F16, I32, U32, U8 = nl.float32, nl.bfloat16, nl.float16, nl.int32, nl.uint32, nl.uint8


def in_psum(call, inputs, shape, dtype, parts=None):
    """call(tile in PSUM, inputs in SBUF); the tile as the kernel leaves it; parts: without what was never written."""
    @nki.jit
    def kernel(arrays):
        tiles = [loaded(array) for array in arrays]
        psum = nl.ndarray(shape, dtype=dtype, buffer=nl.psum)
        call(psum, *tiles)
        result = nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=result, src=psum)
        out = nl.ndarray(shape, dtype=dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=result)
        return out
    return kernel(tuple(inputs))


class Psum(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(8)

    def normal(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def test_results_of_every_type(self):
        x = np.round(self.normal(128, 64) * 20) + np.float32(0)  # no -0
        for dtype in (BF16, F16, nl.float8_e5m2, nl.int8, nl.int16, I32, F32):
            expected = np.asarray(nki.array(x, dtype))

            def by_vector(psum, a):
                nisa.tensor_copy(dst=psum, src=a)

            def by_scalar(psum, a):
                nisa.activation(dst=psum, op=nl.copy, data=a)

            def by_two(psum, a):
                zero = nl.ndarray((128, 64), dtype=F32, buffer=nl.sbuf)
                nisa.memset(dst=zero, value=0.0)
                nisa.tensor_tensor(dst=psum, data1=a, data2=zero, op=nl.add)
            for call in (by_vector, by_scalar, by_two):
                np.testing.assert_array_equal(np.asarray(in_psum(call, [x], (128, 64), dtype)), expected)

    def test_parts_of_words(self):
        x = self.normal(64, 33)

        def call(psum, a):
            nisa.memset(dst=psum, value=5.0)
            nisa.tensor_copy(dst=psum[:, 1:34], src=a)  # from the middle of a word on
            nisa.tensor_copy(dst=psum[:, 40:100:2], src=a[:, 0:30])
            nisa.tensor_scalar(dst=psum[:, 1:34], data=psum[:, 1:34], op0=nl.multiply, operand0=2.0)
        expected = np.full((64, 100), 5, np.float32)
        expected[:, 1:34], expected[:, 40:100:2] = x, x[:, 0:30]
        expected = nki.as_float(nki.array(expected, BF16))
        expected[:, 1:34] *= 2
        np.testing.assert_array_equal(nki.as_float(in_psum(call, [x], (64, 100), BF16)), expected)

    def test_other_halves_of_words_by_two_engines(self):
        x = self.normal(128, 60)

        def call(psum, a):
            for i in range(4):
                nisa.tensor_copy(dst=psum[:, i:240:4], src=a, engine=nisa.engine.vector if i % 2 else nisa.engine.scalar)
        expected = np.repeat(nki.as_float(nki.array(x, BF16)), 4, axis=1)
        np.testing.assert_array_equal(nki.as_float(in_psum(call, [x], (128, 240), BF16)), expected)

    def test_operands(self):
        x, y = self.normal(128, 50), self.normal(128, 50)

        def call(psum, a, b):
            short = nl.ndarray((128, 50), dtype=BF16, buffer=nl.psum)
            nisa.tensor_copy(dst=short, src=a)
            nisa.tensor_tensor(dst=psum, data1=short, data2=b, op=nl.multiply)
            nisa.activation(dst=psum, op=nl.square, data=psum)
            nisa.scalar_tensor_tensor(dst=psum, data=short, op0=nl.multiply, operand0=2.0, op1=nl.add, operand1=b)
        expected = 2 * nki.as_float(nki.array(x, BF16)) + y
        np.testing.assert_array_equal(np.asarray(in_psum(call, [x, y], (128, 50), F16)), expected.astype(np.float16))

    def test_transposes_by_vector(self):
        x = self.normal(32, 32)
        short = nki.array(x, BF16)

        def call(psum, a):
            nisa.nc_transpose(dst=psum, data=a, engine=nisa.engine.vector)
        np.testing.assert_array_equal(np.asarray(in_psum(call, [short], (32, 32), BF16)), np.asarray(short).T)

    def test_copies_by_a_predicate(self):
        x, where = self.normal(128, 30), self.random.integers(0, 2, (128, 30)).astype(np.uint8)

        def call(psum, a, w):
            nisa.memset(dst=psum, value=1.0)
            nisa.tensor_copy_predicated(dst=psum, src=a, predicate=w)
        short = nki.array(x, BF16)
        expected = np.where(where, nki.as_float(short), 1)
        np.testing.assert_array_equal(nki.as_float(in_psum(call, [short, where], (128, 30), BF16)), expected)

    def test_over_banks(self):
        x, y = self.normal(128, 2000), self.normal(128, 1500)

        def steps(psum, a, b):
            nisa.tensor_copy(dst=psum, src=a)
            # From the middle of a bank on, with a step, in several dimensions.
            nisa.tensor_tensor(dst=psum[:, 100:1600], data1=psum[:, 100:1600], data2=b, op=nl.add)
            nisa.tensor_scalar(dst=psum[:, 0:2000:4], data=psum[:, 0:2000:4], op0=nl.multiply, operand0=2.0)
            nisa.activation(dst=psum.reshape((128, 5, 400))[:, 1:4, 100:300], op=nl.copy, scale=3.0,
                            data=psum.reshape((128, 5, 400))[:, 1:4, 100:300])
        expected = x.copy()
        expected[:, 100:1600] += y
        expected[:, ::4] *= 2
        expected.reshape(128, 5, 400)[:, 1:4, 100:300] *= 3
        np.testing.assert_array_equal(in_psum(steps, [x, y], (128, 2000), F32), expected)

    def test_reductions_over_banks(self):
        x = self.normal(128, 1200)

        def call(psum, a):
            wide = nl.ndarray((128, 1200), dtype=F32, buffer=nl.psum)
            nisa.tensor_copy(dst=wide, src=a)
            nisa.tensor_reduce(dst=psum[:, 0:1], op=nl.maximum, data=wide, axis=1)
            sums = nl.ndarray((128, 1), dtype=F32, buffer=nl.sbuf)
            nisa.activation_reduce(dst=wide, op=nl.copy, data=wide, reduce_op=nl.add, reduce_res=sums)
            nisa.tensor_copy(dst=psum[:, 1:2], src=sums)
            nisa.tensor_tensor_scan(dst=wide, data0=wide, data1=a, initial=0.0, op0=nl.multiply, op1=nl.add)
            nisa.tensor_copy(dst=psum[:, 2:3], src=wide[:, 1199:1200])
        result = in_psum(call, [x], (128, 3), F32)
        np.testing.assert_array_equal(result[:, 0], x.max(1))
        np.testing.assert_allclose(result[:, 1], x.sum(1), rtol=1e-4, atol=1e-4)
        state = np.zeros(128, np.float32)
        for i in range(1200):
            state = x[:, i] * state + x[:, i]
        np.testing.assert_allclose(result[:, 2], state, rtol=1e-3, atol=1e-4)

    def test_short_results_over_banks(self):
        x = self.normal(64, 3000)

        def call(psum, a):
            nisa.tensor_scalar(dst=psum, data=a, op0=nl.add, operand0=1.0)
        expected = nki.as_float(nki.array(x + np.float32(1), BF16))
        np.testing.assert_array_equal(nki.as_float(in_psum(call, [x], (64, 3000), BF16)), expected)

    def test_products_meet_results(self):
        k, m = self.normal(64, 32), self.normal(64, 16)

        def call(psum, a, b):
            nisa.nc_matmul(dst=psum, stationary=a, moving=b)
            nisa.tensor_scalar(dst=psum, data=psum, op0=nl.multiply, operand0=0.5)
        expected = nki.as_float(nki.array(nki.as_float(nki.array(k.T @ m, BF16)) / 2, BF16))
        result = nki.as_float(in_psum(call, [k, m], (32, 16), BF16))
        np.testing.assert_allclose(result, expected, rtol=1e-2, atol=1e-2)

    def test_message(self):
        def call(psum, a):
            nisa.tensor_copy(dst=psum, src=a)
        with self.assertRaisesRegex(nki.NkiNotSupportedError, "whole number of words of 4 bytes"):
            in_psum(call, [self.normal(8, 7)], (8, 7), BF16)


if __name__ == "__main__":
    unittest.main()

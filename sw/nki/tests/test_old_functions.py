# SPDX-License-Identifier: Apache-2.0
"""NKI 0.1: functions of nki.language, products, the common ones of nki.isa, against numpy."""
import sys
import unittest

import numpy as np

from neuronxcc import nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

from test_old_style import near, normal, on_chip

RANDOM = np.random.default_rng(6)


class Functions(unittest.TestCase):
    def test_language(self):
        x, y = normal(32, 24), RANDOM.random((32, 24), dtype=np.float32) + 0.5
        near(nl.exp, np.exp(x), x, rtol=1e-5)
        near(lambda b: nl.sqrt(b) + nl.rsqrt(b) + nl.log(b), np.sqrt(y) + 1 / np.sqrt(y) + np.log(y), y, rtol=1e-5)
        near(lambda a: nl.max(a, axis=1) - nl.min(a, axis=[1]), x.max(1, keepdims=True) - x.min(1, keepdims=True), x)
        near(lambda a: nl.mean(a, axis=1), x.mean(1, keepdims=True), x)
        near(lambda a: nl.sum(a.reshape((32, 4, 6)), axis=1, keepdims=False), x.reshape(32, 4, 6).sum(1), x)
        near(lambda a: nl.softmax(a, axis=1), np.exp(x) / np.exp(x).sum(1, keepdims=True), x, rtol=1e-5)
        near(lambda a: nl.broadcast_to(a[:, 0:1], shape=(32, 24)) * 1.0, np.repeat(x[:, :1], 24, 1), x)
        near(lambda a: a[0:1, 0:24].broadcast_to((32, 24)) * 2.0, np.repeat(2 * x[:1], 32, 0), x)
        near(lambda a: nl.negative(nl.abs(a)), -np.abs(x), x)
        near(lambda a: nl.static_cast(a, np.float32), x, x)
        near(lambda a, b: nl.where(a > 0.0, a, b), np.where(x > 0, x, y), x, y)

    def test_many_dimensions(self):
        x, y = normal(8, 48), normal(8, 48)

        def body(a, b):
            i = nl.mgrid[0:8, 0:2, 0:2, 0:2, 0:2, 0:3]
            at = (i[0], 24 * i[1] + 12 * i[2] + 6 * i[3] + 3 * i[4] + i[5])
            made = nl.ndarray((8, 2, 2, 2, 2, 3), dtype=a.dtype)
            made[i[0], i[4], i[3], i[2], i[1], i[5]] = 2.0 * a[at] + b[at]
            return made.reshape((8, 48))
        expected = (2 * x + y).reshape(8, 2, 2, 2, 2, 3).transpose(0, 4, 3, 2, 1, 5).reshape(8, 48)
        np.testing.assert_array_equal(on_chip(body, x, y), expected)

    def test_whether_there_is_a_tile(self):
        @nki.jit
        def kernel(x, y=None):
            tile = nl.load(x)
            assert tile != None and not tile == None and y == None  # noqa: E711
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, tile == 1.0)
            return out
        np.testing.assert_array_equal(kernel(np.eye(4, dtype=np.float32)), np.eye(4))

    def test_where_repeats(self):
        x, row, column = normal(32, 24), normal(1, 24), normal(32, 1)
        near(lambda a, r, c: nl.where(r > 0.0, a, c), np.where(row > 0, x, column), x, row, column)

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
        near(lambda a, c: nisa.tensor_scalar(a, op0=np.multiply, operand0=c, op1=np.add, operand1=1.0), x * column + 1,
                  x, column)
        near(lambda a, c: nisa.activation(op=np.exp, data=a, bias=c, scale=0.5), np.exp(0.5 * x + column), x, column,
                  rtol=1e-5)
        near(lambda a: nisa.tensor_reduce(np.max, data=a, axis=(1,), negate=True), -x.max(1, keepdims=True), x)
        near(lambda a, b: nisa.tensor_tensor(a, b, op=np.subtract), x - y, x, y)
        near(lambda a, b, c: nisa.scalar_tensor_tensor(data=a, op0=np.subtract, operand0=c, op1=np.multiply, operand1=b),
                  (x - column) * y, x, y, column)
        near(lambda a, b: nisa.tensor_tensor_scan(a, b, initial=0, op0=np.multiply, op1=np.add), self.scan(x, y), x, y,
                  rtol=1e-4, atol=1e-4)
        near(lambda: nisa.memset(shape=(32, 4), value=3, dtype=np.float32), np.full((32, 4), 3, np.float32))
        near(lambda a: nisa.bn_aggr(nisa.bn_stats(a)), np.stack([x.mean(1), x.var(1)], 1), x, rtol=1e-5)
        near(lambda a: nisa.max8(src=a), -np.sort(-x, axis=1)[:, :8], x)
        near(lambda a: nisa.tensor_copy(a, engine=nisa.vector_engine), x, x)

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


if __name__ == "__main__":
    sys.exit(unittest.main())

# SPDX-License-Identifier: Apache-2.0
"""Functions of nki.language on tiles, and views, against numpy."""
import dataclasses
import unittest

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

SHAPE = (64, 60)


def tiles(function, *arrays, **options):
    """function on tiles with these values; its result."""
    @nki.jit
    def kernel(arrays):
        result = function(*(nl.load(a) for a in arrays), **options)
        out = nl.ndarray(result.shape, dtype=result.dtype, buffer=nl.shared_hbm)
        nl.store(out, result)
        return out
    return kernel(arrays)


class Language(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(5)
        self.x = (self.random.standard_normal(SHAPE) * 3).astype(np.float32)
        self.y = (self.random.random(SHAPE) + 0.5).astype(np.float32)

    def same(self, function, expected, *arrays, **options):
        np.testing.assert_array_equal(tiles(function, *arrays, **options), expected)

    def near(self, function, expected, *arrays, rtol=2e-6, atol=2e-6, **options):
        np.testing.assert_allclose(tiles(function, *arrays, **options), expected, rtol=rtol, atol=atol)

    def test_binary(self):
        x, y = self.x, self.y
        for name in ("add", "subtract", "multiply", "maximum", "minimum"):
            self.same(getattr(nl, name), getattr(np, name)(x, y), x, y)
            self.same(lambda a: getattr(nl, name)(a, 2.0), getattr(np, name)(x, np.float32(2)), x)
            self.same(lambda a: getattr(nl, name)(2.0, a), getattr(np, name)(np.float32(2), x), x)
        self.same(nl.greater, (x > y).astype(np.float32), x, y)
        self.near(nl.divide, x / y, x, y)
        self.near(lambda a: nl.divide(a, 3.0), x / 3, x)
        self.near(lambda a: nl.divide(1.0, a), 1 / y, y)

    def test_unary(self):
        x, y = self.x, self.y
        self.near(nl.exp, np.exp(x), x, rtol=1e-5)
        self.near(nl.sqrt, np.sqrt(y), y)
        self.near(nl.reciprocal, 1 / y, y)
        self.same(nl.abs, np.abs(x), x)
        self.same(nl.negative, -x, x)
        self.same(nl.floor, np.floor(x), x)
        self.same(nl.ceil, np.ceil(x), x)
        self.same(nl.trunc, np.trunc(x), x)
        self.same(nl.logical_not, (x == 0).astype(np.float32), x)
        self.same(nl.copy, x, x)

    def test_trigonometry(self):
        x = (self.x * 10).astype(np.float32)
        self.near(nl.sin, np.sin(x.astype(np.float64)), x, atol=1e-5)
        self.near(nl.cos, np.cos(x.astype(np.float64)), x, atol=1e-5)
        x = self.y  # away from the poles
        self.near(nl.tan, np.tan(x), x, rtol=1e-4, atol=1e-4)

    def test_reductions(self):
        x = self.x
        for keepdims in (False, True):
            shape = (64, 1)
            self.near(nl.sum, x.sum(1).reshape(shape), x, axis=1, keepdims=keepdims, atol=1e-4)
            self.same(nl.max, x.max(1).reshape(shape), x, axis=1, keepdims=keepdims)
            self.same(nl.min, x.min(1).reshape(shape), x, axis=-1, keepdims=keepdims)
            self.near(nl.mean, x.mean(1).reshape(shape), x, axis=1, keepdims=keepdims)
            self.near(nl.var, x.var(1).reshape(shape), x, axis=1, keepdims=keepdims, rtol=1e-5)
        z = (self.random.random(SHAPE) < 0.97).astype(np.float32)
        self.same(nl.all, z.all(1).astype(np.uint8).reshape(64, 1), z, axis=1)

    def test_norms(self):
        x, w = self.x, self.y
        exponentials = np.exp(x - x.max(1, keepdims=True))
        self.near(nl.softmax, exponentials / exponentials.sum(1, keepdims=True), x, axis=-1, rtol=1e-5)
        expected = x / np.sqrt((x.astype(np.float64)**2).mean(1, keepdims=True) + 1e-6) * w
        self.near(lambda a, b: nl.rms_norm(a, b, axis=1, n=60), expected, x, w, rtol=1e-5)

    def test_where(self):
        p = (self.x > 0).astype(np.uint8)
        self.same(nl.where, np.where(p, self.x, self.y), p, self.x, self.y)
        self.same(lambda c, a: nl.where(c, a, -7.0), np.where(p, self.x, np.float32(-7)), p, self.x)

    def test_matrices(self):
        x = self.x
        self.same(nl.transpose, x.T, x)
        self.near(lambda a, b: nl.matmul(a, b, transpose_x=True), x.T.astype(np.float64) @ self.y, x, self.y, rtol=1e-4,
                  atol=1e-3)
        self.same(lambda: nl.shared_identity_matrix(32), np.eye(32, dtype=np.uint8))
        self.same(lambda a: nl.broadcast_to(a[0:1, :], (64, 60)), np.broadcast_to(x[:1], SHAPE), x)
        self.same(lambda a: nl.broadcast_to(a[1:2, :], (64, 60)), np.broadcast_to(x[1:2], SHAPE), x)
        self.same(lambda a: nl.broadcast_to(a[:, 0:1], (64, 60)), np.broadcast_to(x[:, :1], SHAPE), x)
        wide = np.float32(np.concatenate([self.random.standard_normal((2, 697)) * 1e20, [[1e-42, -3e38, 0]] * 2], axis=1))
        for dtype, scale in ((np.float32, 1), (np.float16, 1e-36), (np.int32, 1e-30)):
            row = (wide * scale).astype(dtype)
            self.same(lambda a: nl.broadcast_to(a[0:1, :], (100, 700)), np.broadcast_to(row[:1], (100, 700)), row)

    def test_load_transposed(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray((x.shape[1], x.shape[0]), dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, nl.load_transpose2d(x))
            return out
        np.testing.assert_array_equal(kernel(self.x), self.x.T)

    def test_random(self):
        result = tiles(lambda: nl.rand((128, 200)))
        self.assertTrue((result >= 0).all() and (result < 1).all())
        self.assertAlmostEqual(result.mean(), 0.5, delta=0.01)

    def test_views(self):
        x = self.random.standard_normal((16, 4, 6, 5)).astype(np.float32)
        views = {
            "subscripts": (lambda t: t[2:9, 1, ..., ::2], x[2:9, 1, :, ::2]),
            "negative": (lambda t: t[:, -1, -3:, -1], x[:, -1, -3:, -1]),
            "ds": (lambda t: t[:, nl.ds(1, 2)], x[:, 1:3]),
            "slice": (lambda t: t.slice(2, 1, 6, 2), x[:, :, 1:6:2]),
            "select": (lambda t: t.select(1, 3), x[:, 3]),
            "permute": (lambda t: t.permute((0, 3, 1, 2)), x.transpose(0, 3, 1, 2)),
            "reshape": (lambda t: t.reshape((16, 24, 5)), x.reshape(16, 24, 5)),
            "reshape_dim": (lambda t: t.reshape_dim(2, (2, -1)), x.reshape(16, 4, 2, 3, 5)),
            "flatten_dims": (lambda t: t.flatten_dims(1, 2), x.reshape(16, 24, 5)),
            "expand and squeeze": (lambda t: t.expand_dim(1).squeeze_dim(1), x),
            "ap": (lambda t: t.ap([[120, 16], [5, 24], [1, 2]], offset=3), x.reshape(16, 24, 5)[:, :, 3:]),
            "view": (lambda t: t.view(nl.uint16), x.view(np.uint16)),
        }
        for name, (view, expected) in views.items():
            with self.subTest(name):
                def function(tile):
                    seen = view(tile)
                    self.assertEqual(seen.shape, expected.shape)
                    copied = nl.ndarray(seen.shape, dtype=seen.dtype, buffer=nl.sbuf)
                    nisa.dma_copy(dst=copied, src=seen)
                    return copied
                self.same(function, expected, x)

    def test_views_in_hbm(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray((5, 6, 4), dtype=x.dtype, buffer=nl.shared_hbm)
            tile = nl.ndarray((5, 6, 4), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[3].permute((2, 1, 0)))
            nisa.dma_copy(dst=out, src=tile)
            return out
        x = self.random.standard_normal((16, 4, 6, 5)).astype(np.float32)
        np.testing.assert_array_equal(kernel(x), x[3].transpose(2, 1, 0))

    def test_constants(self):
        table = np.arange(SHAPE[0] * 3, dtype=np.float32).reshape(SHAPE[0], 3)

        def function(t):
            return nl.add(t[:, 0:3], nl.load(nl.shared_constant(table)))
        self.same(function, self.x[:, :3] + table, self.x)

    def test_sizes(self):
        self.assertEqual((nl.tile_size.pmax, nl.tile_size.psum_fmax, nl.tile_size.psum_num_banks), (128, 512, 8))
        self.assertGreaterEqual(nl.tile_size.sbuf_size_bytes, 192 * 1024)
        self.assertEqual(nl.bfloat16, "bfloat16")
        self.assertEqual(nl.float8_e4m3.itemsize, 1)

    def test_objects(self):
        class Config(nl.NKIObject):
            width: int
            name: str = "x"
        config = Config(3)
        self.assertEqual((config.width, config.name), (3, "x"))

        @dataclasses.dataclass
        class Section(nl.NKIObject):
            index = None
            size: int
            last: bool = False
        section = Section(index=2)
        self.assertEqual((section.index, section.size, section.last), (2, None, False))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Arrays as arguments and results: byte order, updates in place, types that numpy lacks, bool, parts."""
import copy
import importlib.util
import os
import pickle
import subprocess
import tempfile
import unittest

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl
import nki.typing as nt
from nki import _arrays

X = np.arange(32, dtype=np.float32).reshape(4, 8) - 7.5


def output(shape, dtype):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.shared_hbm)


def stored(tile):
    out = output(tile.shape, tile.dtype)
    nl.store(out, tile)
    return out


@nki.jit
def twice(x):
    return stored(nl.multiply(nl.load(x), 2.0))


@nki.jit
def plus_one(x: nt.mutable_tensor):
    nl.store(x, nl.add(nl.load(x), 1.0))


@nki.jit
def plus_one_returned(x):
    nl.store(x, nl.add(nl.load(x), 1.0))
    return x


class Arguments(unittest.TestCase):
    def test_byte_order(self):
        np.testing.assert_array_equal(twice(X.astype(">f4")), X * 2)
        numbers = np.arange(8, dtype=">i2").reshape(2, 4)
        np.testing.assert_array_equal(twice(numbers), np.arange(8).reshape(2, 4) * 2)

    def test_update_of_other_byte_order(self):
        x = X.astype(">f4")
        plus_one(x)
        np.testing.assert_array_equal(x, X + 1)

    def test_read_only(self):
        x = X.copy()
        x.flags.writeable = False
        np.testing.assert_array_equal(plus_one_returned(x), X + 1)
        np.testing.assert_array_equal(x, X)
        with self.assertRaisesRegex(nki.NkiValidationError, "updates argument `x`, whose array is read-only"):
            plus_one(x)

    def test_list_of_updates(self):
        @nki.jit
        def kernel(xs: nt.mutable_tensor):
            for x in xs:
                nl.store(x, nl.add(nl.load(x), 1.0))
        xs = [X.copy(), X.copy() * 2]
        kernel(xs)
        np.testing.assert_array_equal(xs[0], X + 1)
        np.testing.assert_array_equal(xs[1], X * 2 + 1)

    def test_bool(self):
        b = X > 0
        np.testing.assert_array_equal(nki.jit(lambda x: stored(nl.copy(nl.load(x))))(b), b)
        for name in ("float64", "int64"):
            with self.assertRaisesRegex(nki.NkiValidationError, "unknown dtype"):
                nki.array([1], np.dtype(name))

    def test_parts_are_returned(self):
        @nki.jit
        def kernel(x):
            out = output((4, 8), x.dtype)
            nl.store(out, nl.load(x))
            return out[1:3], out.reshape(8, 4)[2], out.view(nl.int32)
        part, row, bits = kernel(X)
        np.testing.assert_array_equal(part, X[1:3])
        np.testing.assert_array_equal(row, X.reshape(8, 4)[2])
        np.testing.assert_array_equal(bits, X.view(np.int32))

        @nki.jit
        def columns(x):
            out = output((4, 8), x.dtype)
            nl.store(out, nl.load(x))
            return out[:, 0:2]
        with self.assertRaisesRegex(NotImplementedError, "that is not contiguous"):
            columns(X)


@unittest.skipUnless(importlib.util.find_spec("torch"), "without torch")
class Torch(unittest.TestCase):
    def test_updates(self):
        import torch
        for kernel in (plus_one, plus_one_returned):
            for dtype in (torch.float32, torch.bfloat16, torch.int32):
                x = torch.zeros(3, 4, dtype=dtype)
                kernel(x)
                self.assertEqual(x.float().tolist(), [[1.0] * 4] * 3, (kernel.__name__, dtype))
            x = torch.zeros(4, 3).t()
            kernel(x)
            self.assertEqual(x.tolist(), [[1.0] * 4] * 3)


class TypedArrays(unittest.TestCase):
    def setUp(self):
        self.a = nki.array([[1.0, 2.0], [-3.0, 4.0]], nl.bfloat16)
        if not hasattr(self.a, "nki_dtype"):
            self.skipTest("ml_dtypes has the type")

    def test_numpy_does_not_compute(self):
        a = self.a
        for name, call in {"multiply": lambda: a * 2, "add": lambda: 1 + a, "maximum": lambda: np.maximum(a, a),
                           "max": lambda: a.max(), "mean": lambda: a.mean(), "sum": lambda: np.sum(a),
                           "sort": lambda: a.sort(), "where": lambda: np.where(a > 0, a, 0), "clip": lambda: np.clip(a, 0, 1),
                           "matmul": lambda: a @ a, "iadd": lambda: a.__iadd__(1), "dot": lambda: a.dot(a),
                           "floats": lambda: np.concatenate([a, X[:2, :2]]), "exp": lambda: np.exp(a),
                           "other": lambda: np.concatenate([a, nki.array(X[:2, :2], nl.float8_e4m3)])}.items():
            with self.assertRaisesRegex(TypeError, "with which numpy does not compute", msg=name):
                call()

    def test_values(self):
        a = self.a
        self.assertEqual(a.astype(np.float32).tolist(), [[1, 2], [-3, 4]])
        self.assertFalse(hasattr(a.astype(np.float32), "nki_dtype"))
        self.assertTrue(np.allclose(a, [[1, 2], [-3, 4]]))
        self.assertEqual((a > 1.5).tolist(), [[False, True], [False, True]])
        self.assertTrue(np.array_equal(a, a))
        self.assertEqual((float(a[0, 1]), a[1].tolist(), int(a[1, 1])), (2.0, [-3.0, 4.0], 4))
        self.assertEqual(a.argmax(), 3)
        self.assertIn("-3.", repr(a))
        self.assertEqual(nki.as_float(nki.array(a, nl.float16)).tolist(), [[1, 2], [-3, 4]])
        a[0, 0] = 0.5
        self.assertEqual(a.tolist(), [[0.5, 2], [-3, 4]])

    def test_text(self):
        self.assertEqual(repr(self.a[0]), "nki.array([1., 2.], dtype=bfloat16)")
        self.assertEqual(f"{self.a[1]} {self.a[0, 0]:.2f}", "[-3.  4.] 1.00")

    def test_elements_without_values(self):
        """Four in one: numpy compares their bits."""
        bits = np.array([[0x03020100, 0x07060504]], np.uint32)
        packed = _arrays.of_type(bits, nl.float8_e4m3fn_x4)
        self.assertTrue(np.array_equal(packed, packed))
        self.assertEqual((packed == packed).tolist(), [[True, True]])
        self.assertIn(str(0x03020100), repr(packed))
        for call in (packed.tolist, lambda: packed < packed, lambda: packed + packed):
            self.assertRaises(TypeError, call)

    def test_moves_keep_the_type(self):
        a = self.a
        for b, values in ((np.concatenate([a, a]), [[1, 2], [-3, 4], [1, 2], [-3, 4]]), (a.T, [[1, -3], [2, 4]]),
                          (np.stack([a[0], a[1]]), [[1, 2], [-3, 4]]), (np.tile(a[0], 2), [1, 2, 1, 2]),
                          (copy.deepcopy(a), [[1, 2], [-3, 4]]), (pickle.loads(pickle.dumps(a)), [[1, 2], [-3, 4]])):
            self.assertEqual((str(b.nki_dtype), nki.as_float(b).tolist()), ("bfloat16", values))
        self.assertEqual(a.view(np.uint16)[0].tolist(), [0x3f80, 0x4000])
        self.assertEqual(np.asarray(a)[0].tolist(), [0x3f80, 0x4000])
        np.testing.assert_array_equal(nki.as_float(twice(np.concatenate([a, a]))),
                                      2 * nki.as_float(np.concatenate([a, a])))

    def test_files_of_numpy(self):
        """The type of the bits is named on the command line."""
        with tempfile.TemporaryDirectory() as folder:
            a, b = os.path.join(folder, "a.npy"), os.path.join(folder, "b.npy")
            np.save(a, self.a)
            command = [os.environ["TERN_PROGRAM"], "nki", "run", f"{os.path.abspath(__file__)}::twice", "--output", b]
            subprocess.run(command + ["--arg", f"x={a}:bfloat16"], check=True, capture_output=True)
            bits = np.load(b)
            self.assertEqual((bits >> 7).tolist(), [[0x80, 0x81], [0x181, 0x82]])  # exponents, one more
            wrong = subprocess.run(command + ["--arg", f"x={a}:float32"], capture_output=True, text=True, check=False)
            self.assertEqual(wrong.returncode, 2)
            self.assertIn("an array of uint16 does not hold elements of float32", wrong.stderr)


class Bools(unittest.TestCase):
    VALUES = np.array([[0, 2, 3, -1, 0.3, np.inf, -0.0, 1e-30]], np.float32)

    def check(self, body, expected, *arrays):
        found = nki.jit(lambda *xs: stored(body(*(nl.load(x) for x in xs))))(*arrays)
        self.assertEqual(found.dtype, np.bool_)
        self.assertEqual(found.view(np.uint8).tolist(), expected.astype(np.uint8).tolist())

    def test_conversions(self):
        v = self.VALUES

        def into(function, **more):
            def body(*tiles):
                dst = nl.ndarray(tiles[0].shape, dtype=nl.bool_)
                function(dst, *tiles, **more)
                return dst
            return body
        for engine in (nisa.engine.vector, nisa.engine.scalar, nisa.engine.gpsimd):
            self.check(into(lambda d, t, e=engine: nisa.tensor_copy(dst=d, src=t, engine=e)), v != 0, v)
        self.check(into(lambda d, t: nisa.dma_copy(dst=d, src=t)), v != 0, v)
        self.check(into(lambda d, t: nisa.tensor_scalar(dst=d, data=t, op0=nl.multiply, operand0=0.25)), v != 0, v)
        self.check(into(lambda d, t: nisa.activation(dst=d, op=nl.relu, data=t)), v > 0, v)
        self.check(into(lambda d, t: nisa.memset(dst=d, value=3)), np.ones_like(v), v)
        self.check(lambda t, u: nl.add(t, u, dtype=nl.bool_), v > -9, v, np.ones_like(v) * 4)
        self.check(lambda t: nl.greater(t, 0.2, dtype=nl.bool_), v > 0.2, v)
        self.check(lambda t: nl.copy(t, dtype=nl.bool_), np.array([[True, False, True]]),
                   np.array([[-2**31, 0, 2**24 + 1]], np.int32))

    def test_of_bools(self):
        a, b = np.array([[True, True, False, False]]), np.array([[True, False, True, False]])
        self.check(nl.add, a | b, a, b)
        self.check(nl.bitwise_and, a & b, a, b)
        self.check(nl.bitwise_xor, a ^ b, a, b)
        self.check(nl.maximum, a | b, a, b)
        self.check(nl.invert, ~a, a)
        self.check(lambda t: nl.max(t, axis=1), np.array([[True]]), a)


if __name__ == "__main__":
    unittest.main()

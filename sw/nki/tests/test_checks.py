# SPDX-License-Identifier: Apache-2.0
"""What a kernel must not do and Tern can know: overlaps, axes, outputs that are not stored, registers, loops, names;
and what it may do: powers, placed tensors that share bytes, angles far from 0.
"""
import os
import subprocess
import tempfile
import unittest

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl
from neuronxcc import nki as old
from neuronxcc.nki import language as old_language

X = np.arange(32 * 96, dtype=np.float32).reshape(32, 96)
KERNEL = """import nki, nki.isa as nisa, nki.language as nl
@nki.jit
def twice(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.multiply(nl.load(x), 2.0))
    return out
"""


def sbuf(shape, dtype=nl.float32, **more):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf, **more)


def output(shape, dtype=nl.float32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.shared_hbm)


def stored(tile):
    out = output(tile.shape, tile.dtype)
    nl.store(out, tile)
    return out


def run(body, *arrays, **options):
    """body(tile of each array) makes the tile that is stored."""
    return nki.jit(lambda *xs: stored(body(*(nl.load(x) for x in xs))), **options)(*(arrays or (X,)))


class Case(unittest.TestCase):
    def refused(self, message, body, *arrays, error=nki.NkiValidationError):
        with self.assertRaisesRegex(error, message):
            run(body, *arrays)


class Overlaps(Case):
    def test_one_transfer(self):
        def by_name(t):
            w = sbuf((32, 144))
            nisa.memset(dst=w, value=0.0)
            nisa.dma_copy(dst=w[:, 48:144:3], src=w[:, 0:96:3])
            return w
        self.refused(r"dma_copy: dst `w\[32, 32\]` and src `w\[32, 32\]` overlap", by_name)

        def by_address(t):
            w = sbuf((32, 144), address=(0, 0))
            a = sbuf((32, 96), address=(0, 0))
            b = sbuf((32, 96), address=(0, 192))
            nisa.memset(dst=w, value=0.0)
            nisa.dma_copy(dst=b[:, 0:96:3], src=a[:, 0:96:3])
            return w
        self.refused(r"dma_copy: dst `b\[32, 32\]` and src `a\[32, 32\]` overlap", by_address)

        def sums(t):
            nisa.dma_compute(dst=t[:, 1:33], srcs=[t[:, 0:32], t[:, 1:33]], reduce_op=nl.add)
            return t
        self.refused("dma_compute: dst .* and src0 .* overlap", sums)

        def interleaved(t):
            nisa.dma_copy(dst=t[:, 1:96:2], src=t[:, 0:96:2])
            return t
        np.testing.assert_array_equal(run(interleaved)[:, 1::2], X[:, 0::2])

    def test_exchange(self):
        @nki.jit
        def kernel(x):
            tile = nl.load(x)
            other = 1 - nl.program_id(0)
            nisa.sendrecv(src=tile, dst=tile, send_to_rank=other, recv_from_rank=other, pipe_id=0)
            out = output((2, 32, 96))
            nl.store(out[nl.program_id(0)], tile)
            return out
        with self.assertRaisesRegex(nki.NkiValidationError, "sendrecv: dst .* overlap"):
            kernel[2](X)

    def test_placed_tensors_share_bytes(self):
        def body(t):
            w, a = sbuf((32, 96), address=(0, 1024)), sbuf((32, 48), address=(0, 1024 + 192))
            nisa.tensor_copy(dst=w, src=t)
            nisa.tensor_scalar(dst=a, data=a, op0=nl.add, operand0=1.0)
            return w
        expected = X.copy()
        expected[:, 48:] += 1
        np.testing.assert_array_equal(run(body), expected)

        def beside(t):
            w = sbuf((32, 96), address=(0, 1024))
            a = sbuf((32, 49), address=(0, 1024 + 192))
            nisa.tensor_copy(dst=w, src=t)
            total = sbuf((32, 1))
            nisa.tensor_reduce(dst=total, op=nl.add, data=a, axis=1)
            return total
        self.refused("reads tensor `a.* which is only partly written", beside)


class Shapes(Case):
    def test_axes(self):
        for name, call in {"sum": lambda t: nl.sum(t, axis=5), "mean": lambda t: nl.mean(t, axis=-3),
                           "max": lambda t: nl.max(t, axis=(1, 2)), "softmax": lambda t: nl.softmax(t, axis=3),
                           "var": lambda t: nl.var(t, axis=2)}.items():
            self.refused(rf"{name}: axis -?[0-9] of a tensor with 2 dimensions", call)
        self.refused("tensor_reduce: axis 7 of a tensor with 2 dimensions",
                     lambda t: nisa.tensor_reduce(dst=sbuf((32, 1)), op=nl.add, data=t, axis=7))
        self.refused("sum: axis .1, 1. names a dimension twice", lambda t: nl.sum(t, axis=(1, 1)))
        self.refused("sum: axis 1.0: expected an integer", lambda t: nl.sum(t, axis=1.0))
        self.refused("dimension 2 of tensor", lambda t: t.reshape_dim(2, (1, 1)))
        self.refused("dimension 3 of tensor", lambda t: t.flatten_dims(1, 3))
        np.testing.assert_array_equal(run(lambda t: nl.max(t, axis=-1)), X.max(axis=1, keepdims=True))

    def test_reshape(self):
        for shape in ((458752, 7905747460161236407), (-32, -96), (0, -1), (2**62, 4), (32, -1, 2**62, 4), (32, 5, -1)):
            self.refused("cannot reshape", lambda t, s=shape: t.reshape(s), error=AssertionError)
            with self.assertRaisesRegex(AssertionError, "cannot reshape"):
                nki.jit(lambda x, s=shape: nl.load(x.reshape(s)))(X)

    def test_view_of_one_element(self):
        kernel = nki.jit(lambda x: nl.load(x[3].view(nl.int16)))
        with self.assertRaisesRegex(nki.NkiValidationError, "seen as int16"):
            kernel(X[0].copy())

    def test_store(self):
        def body(x):
            out = output((96, 32))
            nl.store(out, nl.load(x))
            return out
        with self.assertRaisesRegex(nki.NkiValidationError, r"store: value\[32, 96\] does not fit dst\[96, 32\]"):
            nki.jit(body)(X)


class Numbers(Case):
    def test_memset(self):
        for dtype, value in ((nl.uint8, 300), (nl.uint8, -1), (nl.int8, 200), (nl.int16, 40000), (nl.uint32, 2**32)):
            self.refused(f"memset: value {value} for a tensor of {dtype}: expected", lambda t, d=dtype, v=value: nl.full(
                t.shape, v, dtype=d))
        self.assertEqual(run(lambda t: nl.full(t.shape, -2**31, dtype=nl.int32))[0, 0], -2**31)

    def test_bits_of_floats(self):
        for call in (lambda t: nl.bitwise_and(t, 7), lambda t: nl.left_shift(t, 1), lambda t: nl.invert(t)):
            self.refused("expected integers, tensor `.*` is of float32", call)

    def test_of_the_old_style(self):
        for message, body in (("bitwise_and: expected integers, tensor `tile` is of float32", lambda tile: tile & 7),
                              ("invert: expected integers", lambda tile: old_language.invert(tile)),
                              ("tensor_reduce: axis 4 of a tensor with 2 dimensions", lambda tile: old_language.sum(tile, 4))):
            @old.jit
            def kernel(x, body=body):
                out = old_language.ndarray(x.shape, dtype=x.dtype, buffer=old_language.shared_hbm)
                tile = old_language.load(x)
                old_language.store(out, body(tile))
                return out
            with self.assertRaisesRegex(nki.NkiValidationError, message):
                kernel(X)

        @old.jit
        def squares(x):
            out = old_language.ndarray(x.shape, dtype=x.dtype, buffer=old_language.shared_hbm)
            old_language.store(out, old_language.load(x) ** 2.0)
            return out
        np.testing.assert_allclose(squares(X), X**2, rtol=1e-6)

    def test_power(self):
        x = np.array([[0.5, 1, 2, 3]], np.float32)
        for call, expected in ((lambda t: nl.power(t, 2.0), x**2), (lambda t: nl.power(2.0, t), 2**x),
                               (lambda t: nl.power(t, t), x**x)):
            np.testing.assert_allclose(run(call, x), expected, rtol=1e-6)

        def second(t):
            nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=1.0, op1=nl.power, operand1=3.0)
            return t
        np.testing.assert_allclose(run(second, x), (x + 1)**3, rtol=1e-6)

    def test_angles(self):
        """Off by less than the distance of neighbouring FP32 numbers near 1, up to 4e6."""
        random = np.random.default_rng(3)
        x = np.concatenate([random.uniform(-s, s, 96) for s in (1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 4e6)]).astype(np.float32)
        near = (np.arange(-96, 96) * np.pi / 2).astype(np.float32)  # where it is 0 or turns
        x = np.concatenate([x, near, near * 1001]).reshape(8, -1)
        exact = x.astype(np.float64)
        np.testing.assert_allclose(run(nl.sin, x), np.sin(exact), atol=1.3e-6)
        np.testing.assert_allclose(run(nl.cos, x), np.cos(exact), atol=1.3e-6)
        far = run(nl.sin, np.array([[1e9, -1e12, 1e30]], np.float32))
        self.assertTrue((np.abs(far) <= 1).all(), far)


class Outputs(Case):
    def test_partly_stored(self):
        def body(x):
            out = output((64, 96))
            nl.store(out[0:32], nl.load(x))
            return out
        with self.assertRaisesRegex(nki.NkiValidationError, r"output tensor `out\[64, 96\]` is only partly written: nothing "
                                                            r"stores element \[32, 0\]"):
            nki.jit(body)(X)
        np.testing.assert_array_equal(nki.jit(body, check_use=False)(X)[:32], X)
        np.testing.assert_array_equal(nki.jit(lambda x: body(x)[0:32])(X), X)

    def test_by_two_cores(self):
        def body(x, rows):
            out = output((2, 32, 96))
            nl.store(out[nl.program_id(0), 0:rows], nl.load(x[0:rows]))
            return out
        np.testing.assert_array_equal(nki.jit(lambda x: body(x, 32))[2](X), [X, X])
        with self.assertRaisesRegex(nki.NkiValidationError, r"nothing stores element \[0, 31, 0\]"):
            nki.jit(lambda x: body(x, 31))[2](X)


class Registers(Case):
    def test_never_set(self):
        def as_bound(t):
            for _ in nl.dynamic_range(nisa.register_alloc()):
                nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=1.0)
            return t

        def as_offset(t):
            nisa.tensor_copy(dst=sbuf((32, 1)), src=t.ap([[96, 32], [1, 1]], scalar_offset=nisa.register_alloc(),
                                                         indirect_dim=1))
            return t

        def stored_in_memory(t):
            nisa.register_store(sbuf((1, 1), nl.int32), nisa.register_alloc())
            return t
        for body in (as_bound, as_offset, stored_in_memory):
            self.refused("a register is read that nothing has set", body)

    def test_while(self):
        def count(t, register):
            nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=1.0)
            nisa.register_move(register, 0)

        def parentheses(t):
            register = nisa.register_alloc(3)
            while(register):
                count(t, register)
            return t
        np.testing.assert_array_equal(run(parentheses), X + 1)

        def inverted(t):
            register = nisa.register_alloc(3)
            while not register:
                count(t, register)
            return t

        def joined(t):
            register = nisa.register_alloc(3)
            while register and t:
                count(t, register)
            return t
        for body in (inverted, joined):
            self.refused("there are no other conditions", body, error=TypeError)


class Loops(Case):
    def test_values_taken_at_once(self):
        for take in (list, tuple, next):
            def body(t, take=take):
                take(nl.dynamic_range(3))
                return t
            self.refused("dynamic_range outside of a for statement", body)

        def counted(t):
            for _, i in enumerate(nl.dynamic_range(3)):
                nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=1.0)
            return t
        np.testing.assert_array_equal(run(counted), X + 3)

    def test_tensors_of_a_body(self):
        def replaced(t):
            total = nl.zeros(t.shape, dtype=nl.float32)
            for _ in nl.dynamic_range(3):
                total = nl.add(total, t)
            return total
        self.refused(r"tensor `.*\[32, 96\]` is made in the body of a dynamic loop, which has ended", replaced)

        def nested(t):
            for _ in nl.dynamic_range(2):
                for _ in nl.dynamic_range(2):
                    inner = nl.copy(t)
                nisa.tensor_copy(dst=t, src=inner)
            return t
        self.refused(r"tensor `inner\[32, 96\]` is made in the body of a dynamic loop", nested)


class Names(Case):
    def test_of_tensors(self):
        for name in ("\x1b[31mRED", "a\nb", "x" * 300):
            self.refused("expected at most 200 printable characters", lambda t, n=name: sbuf((32, 1), name=n))

        def same(t):
            tiles = [output((32, 96)) for _ in range(2)] + [
                nl.ndarray((32, 96), dtype=nl.float32, buffer=nl.shared_hbm, name=n) for n in ("a", "a.1", "a", "a.1.1", "a.1")]
            for tile in tiles:
                nl.store(tile, t)
            return tuple(tiles)
        for result in nki.jit(lambda x: same(nl.load(x)))(X):
            np.testing.assert_array_equal(result, X)

    def test_of_kernels_and_arguments(self):
        @nki.jit
        def kernel(x, more):
            return stored(nl.add(nl.load(x), nl.load(more["a\nb"])))
        kernel.__name__ = "a\nb" + "c" * 300
        np.testing.assert_array_equal(kernel(X, {"a\nb": X}), 2 * X)

    def test_of_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "li\nne\x1b" + "x" * 200 + ".py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(KERNEL)
            done = subprocess.run([os.environ["TERN_PROGRAM"], "nki", "run", path + "::twice", "--arg", "x=4x4:float32:ones",
                                   "--report", os.path.join(folder, "out")], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


class Settings(Case):
    def test_lists(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kernel.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(KERNEL)
            command = [os.environ["TERN_PROGRAM"], "nki", "run", path + "::twice", "--arg", "x=4x4:float32:ones",
                       "--set", "dma.shares=[0,0,0,0]", "--set", "core.kernel_start_ns=0"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()

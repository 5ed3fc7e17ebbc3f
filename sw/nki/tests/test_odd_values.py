# SPDX-License-Identifier: Apache-2.0
"""Values that nobody would write on purpose: one line each, with the kernel's line where there is one."""
import unittest

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

A = np.ones((4, 16), np.float32)


def stored(tile):
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out


class OddValues(unittest.TestCase):
    def refused(self, message, function, x=A, kind=nki.NkiError, line=1):
        """The message, and the line of the function, counted from its first one."""
        with self.assertRaises(kind) as caught:
            nki.jit(function)(x)
        first, _, place = str(caught.exception).partition("\n")
        self.assertTrue(first.startswith(message), str(caught.exception))
        if line is not None:
            self.assertIn(f"at {__file__}:{function.__code__.co_firstlineno + line}, in {function.__name__}\n", place)
        return str(caught.exception)

    def test_arrays(self):
        def kernel(x):
            return stored(nl.load(x))
        self.refused("argument `x`: a masked array, whose mask a kernel does not have: use x.data or x.filled()", kernel,
                     np.ma.masked_array(A, A > 0), line=None)
        for array in (A.astype(object), A.astype("c8"), A.astype(str), np.zeros((4, 4), "M8[s]"), np.zeros((4, 4), [("a", "f4")])):
            self.refused("argument `x`: unknown dtype", kernel, array, line=None)
        self.refused("argument `x`: float64 is not supported: use float32", kernel, A.astype("f8"), line=None)
        self.refused("tensor `x`: 9 dimensions, expected at most 8", kernel, np.ones((1,) * 9, np.float32), line=None)
        for array in (np.ones((0, 4), np.float32), np.ones((4, 0), np.float32)):
            self.refused("tensor `x`: expected sizes of at least 1", kernel, array, line=None)
        for array in (np.asfortranarray(A), A[::-1, ::-1], A.astype(">f4"), A.view(np.matrix), np.broadcast_to(A[:1], (4, 16))):
            array.setflags(write=False)
            np.testing.assert_array_equal(nki.jit(kernel)(array), A)
        scalar = np.array(3.0, np.float32)
        np.testing.assert_array_equal(nki.jit(lambda x: stored(nl.load(x.reshape((1, 1)))))(scalar), [[3.0]])

    def test_sizes(self):
        def kernel(x):
            return nl.ndarray((1 << 18, 1 << 18), dtype=nl.float32, buffer=nl.shared_hbm)
        self.refused("tensor `t1`: 274877906944 bytes exceed the 154618822656 bytes of HBM on trn3", kernel)

        def together(x):
            big = [nl.ndarray((1 << 17, 1 << 17), dtype=nl.float32, buffer=nl.private_hbm) for _ in range(2)]
            return big + [nl.ndarray((1 << 17, 1 << 17), dtype=nl.float32, buffer=nl.private_hbm)]
        self.refused("tensor `t3`: 68719476736 bytes, 206158430464 with the tensors before it, exceed the 154618822656 bytes "
                     "of HBM on trn3", together, line=2)

        def slice_beyond(x):
            nl.load(x)[:, 0:10**30]
        self.refused("the number 1000000000000000000000000000000 is beyond 64 bits", slice_beyond)

        def number_beyond(x):
            t = nl.load(x)
            nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=10**400)
        self.refused("tensor_scalar: int too large to convert to float", number_beyond, line=2)

        def pattern(x):
            nisa.iota(dst=nl.ndarray((4, 16), nl.int32), pattern="abc")
        self.refused("iota: pattern 'abc': expected pairs of step and count", pattern)

    def test_comparisons(self):
        def of_a_tensor(x):
            return x if nl.load(x) == 3 else None
        self.refused("tensor `t1` has no operator ==: use nl.equal(..)", of_a_tensor)

        def of_a_tensor_with_an_array(x):
            return x if nl.load(x) != np.ones(3) else None
        self.refused("tensor `t1` has no operator !=: use nl.not_equal(..)", of_a_tensor_with_an_array)

        def of_a_register(x):
            for i in nl.dynamic_range(0, 4):
                if i == 2:
                    break
        self.refused("the value of a register is not known while a kernel is built", of_a_register, kind=TypeError, line=2)

        def less(x):
            return x if nisa.register_alloc(1) < 2 else None
        self.refused("the value of a register is not known while a kernel is built", less, kind=TypeError)

        def allowed(x):
            t, r = nl.load(x), nisa.register_alloc(1)
            assert t != None and t == t and t in (None, "all", t) and r != None and r == r and r in {r}  # noqa: E711
            assert t != "all" and r != nisa.register_alloc(2)
            return stored(t)
        np.testing.assert_array_equal(nki.jit(allowed)(A), A)

    def test_registers(self):
        def many(x):
            for i in range(56):
                nisa.register_alloc(i)
            nisa.register_alloc(56)
            return x
        self.refused("more than 56 registers in a kernel", many, line=3)

        def left(x):
            t = nl.load(x)
            for i in nl.dynamic_range(0, 5):
                nisa.tensor_copy(dst=t, src=t)
                break
            return stored(t)
        self.refused("kernel 'left' leaves a dynamic loop by break or return", left, line=2)

        def inner(x):
            t = nl.load(x)
            for i in nl.dynamic_range(0, 5):
                for j in nl.dynamic_range(0, 5):
                    nisa.tensor_copy(dst=t, src=t)
                    break
            return stored(t)
        self.refused("kernel 'inner' leaves a dynamic loop by break or return", inner, line=3)

    def test_files_of_constants(self):
        def kernel(x):
            return stored(nl.load(nl.shared_constant("/nosuch/c.npy")))
        self.refused("shared_constant: /nosuch/c.npy: no such file", kernel)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""What a script sees when a kernel is wrong: one line with the kernel's place, nothing from inside of the package."""
import contextlib
import os
import unittest

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl
from one_command import CommandCase, tern

A = np.ones((128, 16), np.float32)
HEAD = "import numpy as np, nki, nki.isa as nisa, nki.language as nl\nX = np.ones((128, 16), np.float32)\n"


def sbuf(shape, dtype=nl.float32, **more):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf, **more)


def returned(value):
    return nki.jit(lambda x: value)


# What a kernel does with its argument x and a tile t, and a part of the message.
WRONG = {
    "a name that is none": (lambda x, t: sbuf((128, 3), name=5), "name=5: expected a string"),
    "a name of half a character": (lambda x, t: sbuf((128, 3), name="\udcff"), "printable characters"),
    "a name of an instruction": (lambda x, t: nisa.memset(t, 1.0, name=5), "name=5 of 'memset': expected a string"),
    "an address of 41 bits": (lambda x, t: sbuf((1, 1), address=(0, 2**40)), "expected a partition and a byte in it"),
    "a number as address": (lambda x, t: sbuf((1, 1), address=5), "address 5: expected a partition and a byte"),
    "a shape of 71 bits": (lambda x, t: sbuf((128, 2**70)), "is beyond 64 bits"),
    "no shape": (lambda x, t: sbuf(None), "shape None: expected sizes"),
    "an index of 100 bits": (lambda x, t: t[:, 10**30], "is beyond 64 bits"),
    "an array to load": (lambda x, t: nl.load(A), "operand 'src' of 'load' must be a tensor, got ndarray"),
    "an array to store": (lambda x, t: nl.store(x, A), "operand 'value' of 'store' must be a tensor, got ndarray"),
    "a text to add": (lambda x, t: nl.add(t, "2"), "nki.language.add: expected a tensor, and a tensor or a number; got str"),
    "nothing to add": (lambda x, t: nl.add(t, None), "nki.language.add: expected a tensor, and a tensor or a number; got NoneType"),
    "a pattern without pairs": (lambda x, t: t.ap([16, 128]), "ap: pattern [16, 128]: expected pairs"),
    "a division by zero": (lambda x, t: nl.divide(t, 0), "division by zero"),
    "a number of 400 digits": (lambda x, t: nl.add(t, 10**400), "too large"),
    "an operator": (lambda x, t: t + 1.0, "has no operator +: use nl.add(..)"),
    "an operator from the right": (lambda x, t: A * t, "has no operator *: use nl.multiply(..)"),
    "an operator in place": (lambda x, t: t.__isub__(t), "has no operator -: use nl.subtract(..)"),
    "a product": (lambda x, t: t @ t, "has no operator @: use nl.matmul(..)"),
    "a remainder": (lambda x, t: t % 2, "has no operator %: use nl.mod(..)"),
    "a sign": (lambda x, t: -t, "has no operator unary -: use nl.negative(..)"),
    "a comparison": (lambda x, t: t[0, 0] > 1, "has no operator >: use nl.greater(..)"),
    "a transpose of bytes side by side": (
        lambda x, t: nisa.nc_transpose(nl.ndarray((16, 128), nl.int8, buffer=nl.psum), nl.copy(t, dtype=nl.int8)),
        "of int8: elements of one byte are written two bytes apart"),
}


class Messages(unittest.TestCase):
    def test_wrong_kernels(self):
        for name, (function, message) in WRONG.items():
            with self.subTest(name):
                with self.assertRaises(nki.NkiError) as caught:
                    nki.jit(lambda x, f=function: f(x, nl.load(x)) and None)(A)
                text = str(caught.exception)
                self.assertIn(message, text.splitlines()[0])
                self.assertRegex(text, r"\n  at .*test_messages\.py:\d+, in ")
                self.assertNotIn("Invoked with", text)

    def test_classes_of_python_stay(self):
        def wrong(function, kind):
            with self.assertRaises(kind) as caught:
                nki.jit(lambda x: function(nl.load(x)) and None)(A)
            self.assertIsInstance(caught.exception, nki.NkiValidationError)
        wrong(lambda t: t + 1.0, TypeError)
        wrong(lambda t: nl.divide(t, 0), ZeroDivisionError)
        with self.assertRaises(ZeroDivisionError) as caught:  # the author's own is left alone
            nki.jit(lambda x: 1 // 0)(A)
        self.assertNotIsInstance(caught.exception, nki.NkiError)

    def test_results(self):
        for value, message in ((5, "returns int: expected a tensor in HBM"), (A, "returns ndarray: expected"),
                               (lambda: 0, "returns function: expected"), ({"a": 1}, "returns dict: expected"),
                               ((5,), "returns a tuple with int: expected tensors in HBM"), ("text", "returns str: expected")):
            with self.subTest(message), self.assertRaises(nki.NkiValidationError) as caught:
                returned(value)(A)
            self.assertIn(message, str(caught.exception))
            self.assertRegex(str(caught.exception), r"\n  at .*test_messages\.py:\d+, in ")

    def test_version(self):
        for version in ("banana", "1.x", "-1.0"):
            os.environ["TERN_NKI_VERSION"] = version
            self.addCleanup(os.environ.pop, "TERN_NKI_VERSION", None)
            with self.subTest(version), self.assertRaisesRegex(nki.NkiValidationError, "TERN_NKI_VERSION='.*': expected a ver"):
                nki.jit(lambda x: nisa.quantize_mx(x, x, x))(A)
        os.environ["TERN_NKI_VERSION"] = ""
        with self.assertRaises(nki.NkiValidationError) as caught:  # as if it were not set
            nki.jit(lambda x: nisa.quantize_mx(x, x, x))(A)
        self.assertNotIn("TERN_NKI_VERSION", str(caught.exception))

    def test_torch(self):
        with contextlib.suppress(ImportError):
            import torch
            kernel = nki.jit(lambda x: nl.load(x) and None)
            with self.assertRaisesRegex(nki.NkiValidationError, "argument `x`, torch.Tensor: "):
                kernel(torch.eye(8).to_sparse())

    def test_statements_of_a_line(self):
        @nki.jit
        def kernel(x):
            o = nl.ndarray((128, 16), nl.float32, buffer=nl.shared_hbm); p = sbuf((300, 16))  # noqa: E702
            return o, p
        with self.assertRaisesRegex(nki.NkiValidationError, "tensor `p`: number of partitions 300"):
            kernel(A)

    def test_transpose_of_bytes(self):
        x = np.arange(32 * 16, dtype=np.int32).reshape(32, 16).astype(np.int8)

        def body(data):
            psum = nl.ndarray((16, 64), nl.int8, buffer=nl.psum)
            nisa.nc_transpose(psum[:, 0:64:2], data)
            return nl.copy(psum[:, 0:64:2])

        @nki.jit
        def kernel(x):
            out = nl.ndarray((16, 32), nl.int8, buffer=nl.shared_hbm)
            nl.store(out, body(nl.load(x)))
            return out
        np.testing.assert_array_equal(kernel(x), x.T)


class RunErrors(unittest.TestCase):
    """What the chip reports, with the place in the kernel."""

    def failed(self, kernel, *arrays):
        with self.assertRaises(nki.NkiRunError) as caught:
            kernel(*arrays)
        return str(caught.exception)

    def test_offset(self):
        @nki.jit
        def kernel(x, i):
            out, t, row = nl.ndarray((1, 16), nl.float32, buffer=nl.shared_hbm), sbuf((1, 16)), nl.load(i)
            nisa.dma_copy(dst=t, src=x.ap([[16, 1], [1, 16]], scalar_offset=row, indirect_dim=0))
            nl.store(out, t)
            return out
        text = self.failed(kernel, A, np.array([[-1]], np.int32))
        self.assertIn("its offset is not in [0, 127]\n  at ", text)
        self.assertNotIn("leads out of the program", text)
        self.assertRegex(text, r"(?m)^    nisa.dma_copy\(dst=t, src=x.*\n    \^+$")

    def test_index_of_rows(self):
        @nki.jit
        def kernel(x, rows):
            t = sbuf((4, 16))
            nisa.dma_copy(dst=t, src=x.ap([[16, 4], [1, 16]], vector_offset=nl.load(rows)))
            out = nl.ndarray((4, 16), nl.float32, buffer=nl.shared_hbm)
            nl.store(out, t)
            return out
        text = self.failed(kernel, A, np.array([[0], [-1], [1], [2]], np.int32))
        self.assertIn("the index of partition 1 is 4294967295 (-1 as int32), outside the table", text)
        self.assertRegex(text, r"\n  at .*test_messages.py:\d+, in kernel\n")

    def test_index_of_rows_on_core_1(self):
        @nki.jit
        def kernel(x, rows):
            me = nl.program_id()
            t = sbuf((4, 16))
            nisa.dma_copy(dst=t, src=x.ap([[16, 4], [1, 16]], vector_offset=nl.load(rows[me])))
            out = nl.ndarray((2, 4, 16), nl.float32, buffer=nl.shared_hbm)
            nl.store(out[me], t)
            return out
        text = self.failed(kernel[2], A, np.array([[[0], [3], [1], [2]], [[0], [1], [-1], [2]]], np.int32))
        self.assertIn("the index of partition 2 is 4294967295 (-1 as int32), outside the table", text)
        self.assertRegex(text, r"\n  at .*test_messages.py:\d+, in kernel\n")

    def test_index_in_a_row(self):
        @nki.jit
        def kernel(x, i):
            t, o = nl.load(x), sbuf((128, 4))
            indices = nl.load(i)
            nisa.nc_n_gather(o, t, indices)
            out = nl.ndarray((128, 4), nl.float32, buffer=nl.shared_hbm)
            nl.store(out, o)
            return out
        indices = np.zeros((128, 4), np.uint32)
        indices[5, 2] = 600
        text = self.failed(kernel, A, indices)
        self.assertIn("index 2 in partition 5 of the tile of indices lies outside its row: it is 600\n  at ", text)
        self.assertRegex(text, r"(?m)^    nisa.nc_n_gather\(o, t, indices\)\n    \^+$")

    def test_sendrecv_has_one_place(self):
        @nki.jit
        def kernel(x):
            t = nl.load(x)
            if nl.program_id(0) == 0:
                nisa.sendrecv(src=t, dst=sbuf(x.shape), send_to_rank=1, recv_from_rank=1, pipe_id=0)
        with self.assertRaises(nki.NkiError) as caught:
            kernel[2](A)
        self.assertEqual(str(caught.exception).count("\n  at "), 1, str(caught.exception))


class Scripts(CommandCase):
    def test_no_frames_of_the_package(self):
        script = self.write("s.py", HEAD + "@nki.jit\ndef k(x):\n    t = nl.load(x)\n    return t[:, 5:99]\n\ndef main():\n    k(X)\n\nmain()\n")
        result = self.refused("tern: Out-of-bound access for tensor `t`", "python", script, code=1)
        self.assertRegex(result.stderr, r"\n  at .*s\.py:6, in k\n    return t\[:, 5:99\]\n           \^+\n"
                                        r"  called from .*s\.py:9, in main\n  called from .*s\.py:11, in <module>\n$")
        script = self.write("t.py", HEAD + "@nki.jit\ndef k(x):\n    raise ValueError('my own')\nk(X)\n")
        result = self.refused("tern: ValueError: my own\n  at ", "python", script, code=1)
        self.assertNotIn("_jit.py", result.stderr)
        result = tern("python", self.write("u.py", "def f():\n    return {}[1]\nf()\n"))
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r'^Traceback [^\n]*\n  File ".*u.py", line 3, in <module>\n')
        self.assertNotIn("_launch.py", result.stderr)

    def test_terminal_text(self):
        name = self.write("n.py", HEAD + "@nki.jit\ndef k(x):\n    t = nl.ndarray((128, 4), nl.float32, name='\x1b[31mred'); "
                          "nisa.max8(dst=t, src=t)\n    return t\n")
        self.refused("\ufffd[31mred", "run", f"{name}::k", "--arg", "x=8x8:float32:ones")
        result = tern("run", f"{name}::k", "--arg", "x=8x8:float32:ones", "--dump-after", "check_use", "--no-check")
        self.assertNotIn("\x1b", result.stdout + result.stderr)

    def test_hidden_modules(self):
        for name in ("nki", "numpy", "json"):
            script = self.write(f"{name}/{name}.py", HEAD)
            result = tern("python", script)
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"{name}.py hides the module {name}: another name for this file helps", result.stderr)

    def test_syntax_errors(self):
        self.write("wrong.py", "def f(:\n")
        script = self.write("s.py", "import wrong\n")
        result = self.refused("tern: SyntaxError: invalid syntax\n  at ", "python", script, code=1)
        self.assertRegex(result.stderr, r"wrong\.py:1\n    def f\(:\n          \^\n  called from .*s\.py:1, in <module>\n$")

    def test_help(self):
        result = tern("python", "--help")
        self.assertEqual((result.returncode, result.stdout[:29]), (0, "Usage: tern nki python [--for"))
        self.refused("unknown option -x", "python", "-x")

    def test_placeless(self):
        result = tern("python", "-c", HEAD + "nl.ndarray((8, 8), nl.float32)")
        self.assertRegex(result.stderr, "^tern: a tensor belongs into a kernel: .*\n  at <string>:3, in <module>\n$")


if __name__ == "__main__":
    unittest.main()

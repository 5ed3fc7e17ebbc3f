# SPDX-License-Identifier: Apache-2.0
"""nl.device_print: values of tensors at their points of a kernel."""
import contextlib
import io
import unittest

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl


class Prints(unittest.TestCase):
    def printed(self, kernel, *arrays):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            kernel(*arrays)
        return text.getvalue()

    def test_values_at_their_points(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            tile = nl.load(x)
            nl.device_print("before", tile[:, 0:3])
            nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
            nl.device_print("after", tile)
            sums = nl.ndarray((4, 8), dtype=nl.bfloat16, buffer=nl.psum)
            nisa.tensor_copy(dst=sums, src=tile)
            nl.device_print("psum", sums)
            nl.device_print("hbm\x1b[31m", x)
            nl.store(out, tile)
            return out
        x = np.arange(32, dtype=np.float32).reshape(4, 8)
        self.assertEqual(self.printed(kernel, x),
                         f"before\n{x[:, 0:3]}\nafter\n{2 * x}\npsum\n{2 * x}\nhbm\\x1b[31m\n{x}\n")

    def test_cores(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray((2, 4, 8), dtype=x.dtype, buffer=nl.shared_hbm)
            tile = nl.load(x)
            nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=float(nl.program_id(0)))
            nl.device_print("x", tile)
            nl.store(out[nl.program_id(0)], tile)
            return out
        x = np.zeros((4, 8), np.float32)
        self.assertEqual(self.printed(kernel[2], x), f"core 0: x\n{x}\ncore 1: x\n{x + 1}\n")

    def test_refused(self):
        @nki.jit
        def in_a_loop(x):
            for _ in nl.dynamic_range(0, 2):
                nl.device_print("x", nl.load(x))
        with self.assertRaisesRegex(nki.NkiNotSupportedError, r"device_print\(\) in a dynamic loop"):
            in_a_loop(np.zeros((4, 8), np.float32))

        @nki.jit
        def no_tensor(x):
            nl.device_print("x", 3)
        with self.assertRaisesRegex(nki.NkiValidationError, r"device_print\(str, int\)"):
            no_tensor(np.zeros((4, 8), np.float32))


if __name__ == "__main__":
    unittest.main()

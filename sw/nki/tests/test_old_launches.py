# SPDX-License-Identifier: Apache-2.0
"""NKI 0.1: launch grids and decorators; the messages for wrong kernels."""
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from neuronxcc import nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

from test_old_style import normal, on_chip


class Launches(unittest.TestCase):
    def test_programs_of_a_grid(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            i_p, i_f = nl.program_id(0) * 32 + nl.arange(32)[:, None], nl.program_id(1) * 10 + nl.arange(10)[None, :]
            scale = 1.0 + nl.program_id(0) * nl.num_programs(1) + nl.program_id(1)
            nl.store(out[i_p, i_f], value=nl.load(x[i_p, i_f]) * scale)
            return out
        x = normal(64, 30)
        expected = x.reshape(2, 32, 3, 10) * np.arange(1, 7, dtype=np.float32).reshape(2, 1, 3, 1)
        np.testing.assert_array_equal(kernel[2, 3](x), expected.reshape(64, 30))
        np.testing.assert_array_equal(kernel[nl.spmd_dim(2, nl.nc(1)), 3](x), expected.reshape(64, 30))

    def test_programs_on_two_cores(self):
        @nki.jit(platform_target="trn3")
        def kernel(x):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            i, j = nl.program_id(0), nl.program_id(1)
            scale = 1.0 + i * nl.num_programs(1) + j
            nl.store(out[i, j], nl.load(x[i, j]) * scale)
            return out
        x = normal(4, 2, 16, 12)
        expected = x * np.arange(1, 9, dtype=np.float32).reshape(4, 2, 1, 1)
        # The grid of the public documentation: whole, in blocks on two cores, in turns.
        for grid in ((4, 2), (nl.spmd_dim(nl.nc(2), 2), 2), (nl.nc(2) * 2, 2), (nl.spmd_dim(2, nl.nc(2)), 2), (2 * nl.nc(2), 2),
                     (4, nl.nc(2)), (nl.spmd_dim(4, nl.nc(1)), 2)):
            np.testing.assert_array_equal(kernel[grid](x), expected)

    def test_which_core_runs_which_program(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray((4, 1, 4), dtype=x.dtype, buffer=nl.shared_hbm)
            number = len(made)
            made.append(nl.program_id(0))
            nl.store(out[nl.program_id(0)], nl.load(x[0:1]) + float(number))
            return out
        x = np.zeros((1, 4), np.float32)
        for dimension, order in ((nl.nc(2) * 2, [0, 1, 2, 3]), (2 * nl.nc(2), [0, 2, 1, 3])):
            made = []
            result = kernel[(dimension,)](x)
            self.assertEqual(made, order)  # the first core's, then the second core's
            np.testing.assert_array_equal(result[:, 0, 0], [order.index(i) for i in range(4)])

    def test_launches_that_are_refused(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.hbm)
            nl.store(out, nl.load(x))
            return out
        x = normal(8, 8)
        for grid, error, text in (((nl.nc(4),), nki.NkiNotSupportedError, "a launch on 4 cores"),
                                  ((nl.nc(2), nl.nc(2)), nki.NkiNotSupportedError, "a launch on 4 cores"),
                                  ((nl.nc(2),), nki.NkiValidationError, "expected shared_hbm")):
            with self.assertRaisesRegex(error, text):
                kernel[grid](x)

    def test_arguments_as_results(self):
        @nki.trace
        def kernel(x, out):
            nl.store(out, nl.load(x) * 2.0)
        x, out = normal(8, 8), np.zeros((8, 8), np.float32)
        self.assertIsNone(nki.simulate_kernel(kernel, x, out))
        np.testing.assert_array_equal(out, 2 * x)

    def test_values_are_printed(self):
        @nki.jit
        def kernel(x):
            tile = nl.load(x)
            nl.device_print("loaded", tile)
            i_p, i_f = nl.arange(4)[:, None], nl.arange(8)[None, :]
            nl.device_print("less", tile * 2.0, mask=(i_p < 2) & (i_f < 3))
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, tile)
            return out
        x = np.arange(32, dtype=np.float32).reshape(4, 8)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            kernel(x)
        self.assertEqual(printed.getvalue(), f"loaded\n{x}\nless\n{2 * x[0:2, 0:3]}\n")

    def test_decorators(self):
        def double(x):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, nl.load(x) * 2.0)
            return out
        x = normal(8, 8)
        for kernel in (nki.jit(double), nki.baremetal()(double), nki.jit(mode="simulation")(double), nki.trace(double)):
            np.testing.assert_array_equal(kernel(x), 2 * x)
        np.testing.assert_array_equal(nki.simulate_kernel(nki.jit(double), x), 2 * x)
        timed = nki.benchmark(warmup=5, iters=10, save_neff_name="f.neff")(double)
        timed(x)
        self.assertGreater(timed.benchmark_result.nc_latency.get_latency_percentile(99), 1)


class Errors(unittest.TestCase):
    """Messages name what is wrong and the author's line."""

    def refused(self, text, body, *arrays, error=nki.NkiError):
        with self.assertRaisesRegex(error, text) as caught:
            on_chip(body, *(arrays or (normal(16, 20),)))
        self.assertIn("test_old_launches.py:", str(caught.exception))
        return str(caught.exception)

    def test_messages(self):
        i_p, i_f = nl.arange(16)[:, None], nl.arange(20)[None, :]
        self.refused(r"Out-of-bound access for tensor `.*` on dimension 1: index range \[3, 22\] exceed dimension size of 20",
                     lambda x: nl.copy(x[i_p, i_f + 3]))
        self.refused("a mask that is no box", lambda x: nl.copy(x[i_p, i_f], mask=i_p >= i_f))
        self.refused("a mask with |", lambda x: nl.copy(x[i_p, i_f], mask=(i_p < 3) | (i_f < 3)))
        self.refused("// of an index grid", lambda x: nl.copy(x[i_p, i_f // 2]))
        self.refused("an index grid of one dimension", lambda x: nl.copy(x[0, nl.arange(20)]))
        self.refused("no slices", lambda x: nl.copy(x[i_p, 0:20]))
        self.refused("a tile as index", lambda x: nl.copy(x[x, i_f]))
        self.refused(r"shapes \[16, 20\] and \[16, 10\] differ", lambda x: nl.add(x, x[:, 0:10]))
        self.refused("expected nl.store", self._assigns_to_hbm)
        self.refused("'src' of 'load' to be in address space 'hbm', but got a tile in 'sbuf'", lambda x: nl.load(x))
        self.refused("indexed by a range", self._range_of_tiles)
        self.refused("an array of tiles", lambda x: nl.copy(nl.zeros((2, nl.par_dim(16), 4), x.dtype)))
        self.refused("reduction over partitions", lambda x: nl.sum(x, axis=0))
        self.refused("neuronxcc.nki.language.all_reduce is not supported", lambda x: nl.all_reduce(x, op=np.add))
        self.refused("atomic_rmw with multiply is not supported", lambda x: nl.atomic_rmw(x, nl.load(x), op=np.multiply))
        self.refused("neuronxcc.nki.isa.builtin_custom_op is not supported", lambda x: nisa.builtin_custom_op("f"))
        self.refused("the values of a tile are not known", lambda x: x if x > 0.0 else x)

    @staticmethod
    def _assigns_to_hbm(x):
        out = nl.ndarray((16, 20), dtype=x.dtype, buffer=nl.shared_hbm)
        out[...] = x
        return x

    @staticmethod
    def _range_of_tiles(x):
        tiles = nl.zeros((4, nl.par_dim(16), 4), x.dtype)
        return nl.copy(tiles[nl.arange(4)[None, :], nl.arange(16)[:, None], 0])

    def test_the_line_is_that_of_the_call(self):
        """An instruction is recorded after its line."""
        def body(x):
            y = nl.copy(x[nl.arange(16)[:, None], nl.arange(20)[None, :] + 1])  # wrong
            z = nl.copy(x)
            return y + z
        self.assertIn("# wrong", self.refused("Out-of-bound", body))

    def test_another_package_is_not_hidden(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(f"{folder}/neuronxcc/nki")
            for name in ("neuronxcc", "neuronxcc/nki"):
                open(f"{folder}/{name}/__init__.py", "w").close()
            program = os.environ.get("TERN_PROGRAM")
            if not program:
                self.skipTest("TERN_PROGRAM names no program")
            environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
            result = subprocess.run([program, "nki", "python", "-c", "pass"], env=dict(environment, PYTHONPATH=folder),
                                    capture_output=True, text=True)
            self.assertEqual(result.returncode, 2)
            self.assertIn("another package neuronxcc is installed in", result.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())

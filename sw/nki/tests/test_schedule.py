# SPDX-License-Identifier: Apache-2.0
"""The scheduler: the same bits as in program order, in less time; what it must not move."""
import os
import re
import unittest

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl
import kernels_schedule as kernels
import test_basic
import test_isa
import test_isa_more
import test_language
from nki import _jit

ORDERS = ("program", "list")


def in_both_orders(kernel, *args):
    """Results as bytes, and the latency in us without start and end of the kernel, by order."""
    found = {}
    for order in ORDERS:
        os.environ["TERN_NKI_SCHEDULE"] = order
        try:
            result = kernel(*args)
        finally:
            del os.environ["TERN_NKI_SCHEDULE"]
        results = result if isinstance(result, tuple) else (result,)
        run = kernel.last_run
        found[order] = [np.asarray(r).tobytes() for r in results], run.latency_us - run.start_us - run.end_us
    return found


def order_of(kernel, *args):
    """The instructions after the scheduler: (function, line of the kernel)."""
    texts = {}
    kernel.build(*args, after_pass=lambda name, text: texts.setdefault(name, text))
    lines = [line for line in texts["schedule"].splitlines() if line[0].isdigit()]
    return [(line.split()[1], int(re.search(r"\.py:(\d+)", line).group(1))) for line in lines]


class SameBits(unittest.TestCase):
    """Every kernel of the other tests, in both orders."""

    def setUp(self):
        self.runs = 0
        plain = _jit.Kernel.run

        def both(kernel, args, kwargs, grid=1, trace_file="", wants_spans=False):
            copies = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
            os.environ["TERN_NKI_SCHEDULE"] = "program"
            try:
                written = plain(kernel, copies, kwargs, grid, trace_file, wants_spans)
            finally:
                del os.environ["TERN_NKI_SCHEDULE"]
            result = plain(kernel, args, kwargs, grid, trace_file, wants_spans)
            pairs = zip(result, written) if isinstance(result, tuple) else ((result, written),)
            for a, b in pairs:
                self.assertEqual(np.asarray(a).tobytes(), np.asarray(b).tobytes())
            self.runs += 1
            return result

        _jit.Kernel.run = both
        self.addCleanup(setattr, _jit.Kernel, "run", plain)

    def run_all(self, module):
        suite = unittest.defaultTestLoader.loadTestsFromModule(module)
        result = unittest.TestResult()
        suite.run(result)
        self.assertGreater(self.runs, 0)
        self.assertEqual([text for _, text in result.failures + result.errors], [])

    def test_basic(self):
        self.run_all(test_basic)

    def test_isa(self):
        self.run_all(test_isa)

    def test_isa_more(self):
        self.run_all(test_isa_more)

    def test_language(self):
        self.run_all(test_language)


class Faster(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(3)

    def gains(self, least, kernel, *args):
        found = in_both_orders(kernel, *args)
        self.assertEqual(found["program"][0], found["list"][0])
        self.assertLess(found["list"][1], (1 - least) * found["program"][1])

    def normal(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def bfloat16(self, *shape):
        return nki.array(self.normal(*shape), nl.bfloat16)

    def test_attention(self):
        self.gains(0.3, kernels.attention, self.bfloat16(128, 1024), self.bfloat16(128, 1024),
                   self.bfloat16(1024, 128))

    def test_norm(self):
        self.gains(0.2, kernels.rms_norm, self.normal(1024, 512))

    def test_load_behind_a_store(self):
        self.gains(0.3, kernels.through_hbm, self.normal(512, 512), self.normal(512, 512))

    def test_both_generators(self):
        self.gains(0.15, kernels.wide_rows, self.bfloat16(1024, 128), self.bfloat16(1024, 4096))


class Order(unittest.TestCase):
    def setUp(self):
        self.x = np.arange(128 * 64, dtype=np.float32).reshape(128, 64)

    def test_no_reorder(self):
        for block in (False, True):
            lines = [line for name, line in order_of(kernels.late_copy, self.x, block) if name == "tensor_scalar"]
            self.assertEqual(lines == sorted(lines), block, lines)

    def test_program(self):
        os.environ["TERN_NKI_SCHEDULE"] = "program"
        self.addCleanup(os.environ.pop, "TERN_NKI_SCHEDULE")
        lines = [line for _, line in order_of(kernels.late_copy, self.x, False)]
        self.assertEqual(lines, sorted(lines))

    def test_unknown(self):
        with self.assertRaisesRegex(nki.NkiValidationError, "schedule 'best': expected list or program"):
            nki.jit(kernels.late_copy.func, schedule="best")(self.x, False)

    def test_deterministic(self):
        self.assertEqual(order_of(kernels.late_copy, self.x, False), order_of(kernels.late_copy, self.x, False))

    def test_short_memory(self):
        """More tiles than SBUF holds at once, in turns."""
        x = np.ones((128, 8192), np.float32)
        found = in_both_orders(kernels.many_large, x)
        self.assertEqual(found["program"][0], found["list"][0])

    def test_interleaved(self):
        """Work on the even columns does not wait for work on the odd ones."""
        times = {}
        for apart in (False, True):
            kernel = nki.jit(kernels.even_and_odd.func, schedule="program")
            result = kernel(self.x, apart)
            times[apart] = kernel.last_run.latency_us
            expected = np.stack([self.x, self.x])
            expected[1 if apart else 0, :, 1::2] += 8
            np.testing.assert_array_equal(result, expected)
        self.assertLess(times[False], times[True] + 0.2)  # the store of one tile waits for both


class Random(unittest.TestCase):
    """Kernels of random instructions on few tiles: interleaved, overlapping, placed by hand."""

    def test_same_bits(self):
        for seed in range(24):
            with self.subTest(seed=seed):
                kernel, expected = kernels.random_kernel(seed)
                found = in_both_orders(kernel, kernels.random_input(seed))
                for order in ORDERS:
                    self.assertEqual(found[order][0], [expected[0].tobytes()])


if __name__ == "__main__":
    unittest.main()

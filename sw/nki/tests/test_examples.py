# SPDX-License-Identifier: Apache-2.0
"""sw/examples/nki: slow and fast kernels give the same results, the fast ones sooner."""
import importlib.util
import os
import unittest

import numpy as np

import nki
import nki.language as nl

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "nki")


def example(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", os.path.join(EXAMPLES, f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def own_us(kernel):
    """The newest run, without start and end of the kernel."""
    run = kernel.last_run
    return run.latency_us - run.start_us - run.end_us


class Examples(unittest.TestCase):
    def both(self, module, gain, *args):
        slow, fast = module.slow(*args), module.fast(*args)
        np.testing.assert_array_equal(np.asarray(slow), np.asarray(fast))
        self.assertLess(own_us(module.fast), gain * own_us(module.slow))
        return fast

    def test_softmax(self):
        x = np.random.default_rng(0).standard_normal((1024, 1024), dtype=np.float32)
        exact = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
        exact /= exact.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(self.both(example("softmax"), 0.8, x), exact, rtol=1e-5)

    def test_matmul(self):
        random = np.random.default_rng(0)
        at, b = (nki.array(random.standard_normal(shape, dtype=np.float32), nl.bfloat16) for shape in ((512, 512), (512, 1024)))
        exact = nki.as_float(at).astype(np.float64).T @ nki.as_float(b).astype(np.float64)
        result = nki.as_float(self.both(example("matmul"), 0.85, at, b))
        np.testing.assert_allclose(result, exact, atol=0.01 * np.abs(exact).max())


if __name__ == "__main__":
    unittest.main()

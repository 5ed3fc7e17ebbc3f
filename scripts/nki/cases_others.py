# SPDX-License-Identifier: Apache-2.0
"""Kernels of other collections."""
import numpy as np

import nki

from harness import bf16, case, close, load, normal, of_max, uniform


@case("layernorm", "autocomp")
def _(root):
    kernel = load(f"{root}/harnesses/trn-tutorial-nki2/1_layernorm_test.py").nki_layernorm_kernel_v2
    x, gamma, beta = uniform(512, 1024), uniform(1024), uniform(1024)
    wide = x.astype(np.float64)
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5) * gamma + beta
    return kernel, close(kernel(x, 1e-5, gamma, beta), expected, 1e-3, 5e-3)


@case("matmul: hand-tuned", "autotune", trn2=244.2)
def _(root):
    module = load(f"{root}/kernel_library/matmul/lhs_rhs/kernel_handtuned_89.26mfu.py")
    kernel = next(f for f in vars(module).values() if isinstance(f, nki.Kernel))
    a, b = bf16(normal(2048, 2048)), bf16(normal(2048, 2048))
    expected = nki.as_float(a).astype(np.float64) @ nki.as_float(b).astype(np.float64)
    return kernel, of_max(kernel(a, b), expected, 2e-2)


@case("attention", "autocomp")
def _(root):
    kernel = load(f"{root}/harnesses/trn-tutorial-nki2/4_attention_test.py").ref
    q, k, v = (bf16(uniform(128, 4096) * 2 - 1) for _ in range(3))
    scores = nki.as_float(q).T @ nki.as_float(k)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    expected = weights / weights.sum(1, keepdims=True) @ nki.as_float(v).T
    return kernel, close(kernel(q, k, v), expected, 1e-5, 1e-2)

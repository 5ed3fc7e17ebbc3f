# SPDX-License-Identifier: Apache-2.0
"""Kernels of autocomp's search on Trainium 1, with the times that it measured, each a step from the one before.

They are texts in the search's traces (examples/trn-tutorial), the first of each that of a tutorial. Other steps have lost
letters there, or take what is refused here.
"""
import atexit
import os
import re
import shutil
import tempfile

import numpy as np

import nki

from cases_old import scan
from harness import bf16, case, close, load, of_max, uniform

_IMPORTS = """import numpy as np
from neuronxcc import nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import neuronxcc.nki.typing as nt
"""
_STEP = re.compile(r"^code='''(.*?)''',\nscore=([0-9.]+),", re.DOTALL | re.MULTILINE)


def _kernel(root, trace, step):
    """The kernel of a step; its file stays until the end, for messages with the line."""
    with open(f"{root}/examples/trn-tutorial/{trace}_trace.py", encoding="utf-8") as file:
        code, _ = _STEP.findall(file.read())[step]
    folder = tempfile.mkdtemp(prefix="nki-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = os.path.join(folder, f"{trace}_{step}.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(_IMPORTS + code)
    made = load(path)
    return next(f for f in reversed(list(vars(made).values())) if isinstance(f, nki.Kernel))


def _steps(what, trace, times_ms, part=1):
    """times_ms: by step, of which the kernel here does one of `part` equal parts."""
    def enter(check):
        for step, ms in times_ms.items():
            @case(f"searched {what}, step {step}", "autocomp", is_large=True, trn1=ms * 1000 / part)
            def _(root, step=step):
                kernel = _kernel(root, trace, step)
                return kernel, check(kernel)
    return enter


# Measured for 4096 rows of the result, each block of which takes the same time: here are 512 of them.
@_steps("GEMM, an eighth of 4096 rows", "2_gemm", {0: 20.99, 1: 28.68, 2: 11.8, 3: 8.07, 4: 7.62, 5: 6.96}, part=8)
def _(kernel):
    a, b = bf16(uniform(8192, 512)), bf16(uniform(8192, 8192))
    return close(kernel(a, b), nki.as_float(a).T @ nki.as_float(b), 1e-2, 1e-4)


@_steps("Mamba, 256 channels, 2048", "3_mamba", {0: 0.636, 2: 0.539, 3: 0.538, 6: 0.362})
def _(kernel):
    delta, u = uniform(1, 256, 2048), uniform(1, 256, 2048)
    a, b, c = -uniform(256, 16), uniform(1, 16, 2048), uniform(1, 16, 2048)
    return close(kernel(delta, u, a, b, c)[0], scan(delta[0], u[0], a, b[0], c[0]), 1e-3, 1e-3)


@_steps("self-attention, 4096, d 64", "5_sd_attention", {1: 0.437, 2: 0.434, 5: 0.385, 6: 0.384})
def _(kernel):
    q, k, v = (uniform(4096, 64) for _ in range(3))
    scores = q @ k.T * 0.125
    weights = np.exp(scores - scores.max(1, keepdims=True))
    return of_max(kernel(q, k, v), weights / weights.sum(1, keepdims=True) @ v, 1e-2)

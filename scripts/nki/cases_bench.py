# SPDX-License-Identifier: Apache-2.0
"""NKIBench of zhang677/AccelOpt: kernels of NKI 0.1 with times on Trainium 1. Its sizes are in the kernels.

The last four need more SBUF than there is.
"""
import csv
import json

import numpy as np

from cases_old import scan
from harness import case, load, normal

# As published: the norm of the error over that of the result.
_TOLERANCE = 2e-5


def _active(root, name):
    """Share of the time in which engines of the real chip were active, from the profile of the collection."""
    with open(f"{root}/experiments/full_complete_local/profile_results.csv", encoding="utf-8") as file:
        row = next(row for row in csv.DictReader(file) if row["kernel"].endswith(f"/{name}_0.py"))
    profile = json.loads(row["profile"])
    return {engine: profile[f"{engine}_engine_active_time_percent"] for engine in ("vector", "scalar")}


def _bench(name, us):
    def enter(reference):
        @case(f"NKIBench: {reference.__name__.replace('_', ' ')}", "accelopt", is_large=True, trn1=us)
        def _(root):
            kernel = load(f"{root}/NKIBench/kernels/{name}_0.py").kernel
            arguments, expected = reference()
            result = np.asarray(kernel(*arguments)).reshape(expected.shape)
            error = np.linalg.norm(result - expected) / np.linalg.norm(expected) / _TOLERANCE
            return kernel, float(error), _active(root, name)
    return enter


@_bench("silu_M4096_N7168", 1333)
def silu():
    x = normal(4096, 7168)
    return [x.reshape(128, 32, 7168)], x / (1 + np.exp(-x))


@_bench("rmsnorm_matmul_M4096_N2048_K1024", 1056)
def rms_norm_and_matmul():
    x, w = normal(4096, 1024), normal(1024, 2048)
    normal_x = x / np.sqrt((x * x).mean(1, keepdims=True))
    return [x.reshape(32, 128, 1024), w.reshape(8, 128, 2048)], normal_x @ w


@_bench("matmul_M4096_N12288_K5120", 35200)
def matmul():
    x, w = normal(4096, 5120), normal(5120, 12288)
    return [x.reshape(32, 128, 40, 128), w.reshape(40, 128, 12288)], x @ w


@_bench("bmm_B16_M4096_K64_N4096", 4611)
def batched_matmul():
    x, y = normal(16, 4096, 64), normal(16, 64, 4096)
    return [x, y], x @ y


@_bench("mamba_M7168_C256_S16", 2889)
def mamba():
    delta, u, a, b, c = (normal(*s) * np.float32(0.05)
                         for s in ((256, 7168), (256, 7168), (256, 16), (16, 7168), (16, 7168)))
    return [delta, u, a, b, c], scan(delta, u, a, b, c)


@_bench("adamw_M10944_N2048", 2000)
def adamw():
    theta, g, m, v = (normal(10944, 2048) for _ in range(4))
    v = np.abs(v)
    step = 0.01 * (0.9 * m + 0.1 * g) / (np.sqrt((0.999 * v + 0.001 * g * g) * 1000) + 1e-8)
    return [theta, g, m, v], theta - 1e-5 * theta - step


@_bench("transpose_matmul_M4096_K2048_N10944", 9610)
def transposed_matmul():
    x, w = normal(2048, 4096), normal(2048, 10944)
    return [x.reshape(128, 16, 4096), w.reshape(128, 16, 10944)], x.T @ w


@_bench("add_rmsnorm_matmul_M4096_N2048_K1024", 1222)
def sum_rms_norm_and_matmul():
    x, w, z, g = normal(4096, 1024), normal(1024, 2048), normal(4096, 1024), normal(1024)
    return [x, w, 1e-5, z, g], _rms_norm(x + z) * g @ w


@_bench("matmul_add_rmsnorm_M4096_N2048_K2048", 2667)
def matmul_sum_and_rms_norm():
    x, w, z, g = normal(4096, 2048), normal(2048, 2048), normal(4096, 2048), normal(2048)
    return [x, w, 1e-5, z, g], _rms_norm(x @ w + z) * g


def _rms_norm(x):
    return x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5)


@_bench("rope_single_freq_apply_B1_H64_N4096_D128", 4333)
def rotary_embedding():
    x, cos, sin = normal(128, 262144), normal(64, 262144), normal(64, 262144)
    even, odd = x[:64], x[64:]
    return [x, cos, sin], np.concatenate([even * cos - odd * sin, even * sin + odd * cos])


def _softmax(x):
    weights = np.exp(x - x.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


@_bench("swiglu_M4096_N3072_K1024", 4222)
def swiglu():
    x, up, down, gate = (normal(*s) * np.float32(0.1) for s in ((4096, 1024), (1024, 3072), (3072, 1024), (1024, 3072)))
    gated = x @ gate
    expected = (gated / (1 + np.exp(-gated)) * (x @ up)) @ down
    return [x.reshape(8, 4, 128, 8, 128), up.reshape(8, 128, 3072), down.reshape(24, 128, 1024),
            gate.reshape(8, 128, 3072)], expected


@_bench("bmm_softmax_B16_K64_M4096_N4096", 12000)
def softmax_of_batched_matmul():
    x, y = normal(16, 4096, 64), normal(16, 64, 4096)
    return [x, y], _softmax(x @ y)


@_bench("gqa_full_B1_N4096_QH16_KH8_D128", 19111)
def grouped_query_attention():
    q, k, v = normal(4096, 16, 128), normal(4096, 8, 128), normal(4096, 8, 128)
    expected = np.stack([_softmax(q[:, h] @ k[:, h // 2].T / np.sqrt(np.float32(128))) @ v[:, h // 2] for h in range(16)])
    return [q.reshape(32, 128, 16, 128), k.reshape(1, 8, 4, 128, 8, 128), v.reshape(1, 32, 128, 1024)], expected


@_bench("lora_M4096_N12288_K5120_R128", 30166)
def lora():
    x, w, a, b = normal(4096, 5120), normal(5120, 12288), normal(5120, 128), normal(128, 12288)
    return [x.reshape(8, 4, 128, 40, 128), w.reshape(40, 128, 12288), a.reshape(40, 128, 128), b], x @ w + x @ a @ b

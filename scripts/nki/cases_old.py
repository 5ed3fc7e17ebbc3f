# SPDX-License-Identifier: Apache-2.0
"""Kernels of NKI 0.1 (neuronxcc.nki): tutorials, contributed kernels, and those of the SDK 2.26."""
import numpy as np

import nki
from neuronxcc import nki as old

from harness import RANDOM, bf16, case, close, exact, load, normal, of_max, uniform

TUTORIALS = "src/nki_samples/tutorials"
SDK = "nki/examples"


@case("0.1: tensor addition, 4 programs", "samples")
def _(root):
    module = load(f"{root}/{TUTORIALS}/tensor_addition/tensor_addition_nki_kernels.py")
    a, b = uniform(256, 1024).astype(np.float16), uniform(256, 1024).astype(np.float16)
    return module.nki_tensor_add_kernel_, exact(module.nki_tensor_add(a, b), a + b)


def _transposed(root, x):
    kernel = load(f"{root}/{TUTORIALS}/transpose2d/transpose2d_nki_kernels.py").tensor_transpose2D_kernel_
    return kernel, exact(kernel(x, (37, 62)), x.reshape(128, 37, 62).transpose(0, 2, 1).reshape(128, -1))


@case("0.1: transpose2d, float32", "samples")
def _(root):
    return _transposed(root, normal(128, 37 * 62))


@case("0.1: transpose2d, int8", "samples")
def _(root):
    return _transposed(root, RANDOM.integers(-128, 128, (128, 37 * 62)).astype(np.int8))


@case("0.1: average_pool2d", "samples")
def _(root):
    kernel = load(f"{root}/{TUTORIALS}/average_pool2d/average_pool2d_nki_kernels.py").tensor_avgpool_kernel
    x = normal(16, 24, 24)
    return kernel, close(kernel(x, 2), x.reshape(16, 12, 2, 12, 2).mean(axis=(2, 4)), 1e-5, 1e-6)


@case("0.1: contributed matmul, 1024 x 1024 x 2048", "samples")
def _(root):
    kernel = old.baremetal()(load(f"{root}/contributed/matmul.py").matmul)
    a, b = uniform(1024, 1024).astype(np.float16), uniform(1024, 2048).astype(np.float16)
    return kernel, close(kernel(a, b), a.T.astype(np.float64) @ b.astype(np.float64), 1e-2, 1e-4)


@case("0.1: contributed maxpooling", "samples")
def _(root):
    kernel = load(f"{root}/contributed/maxpooling.py").max_pooling_2d_stride_1
    x = uniform(448, 448)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3))
    return kernel, exact(kernel(x, 3), windows.max(axis=(2, 3)))


def scan(delta, u, a, b, c):
    """The selective scan of [channels, time], states in columns of a and rows of b and c."""
    state, result = np.zeros(a.shape), np.zeros(delta.shape)
    for t in range(delta.shape[1]):
        d = delta[:, t:t + 1].astype(np.float64)
        state = np.exp(d * a) * state + d * u[:, t:t + 1] * b[:, t]
        result[:, t] = (state * c[:, t]).sum(1)
    return result


def _mamba(root, folder, name, channels):
    kernel = getattr(load(f"{root}/{folder}/fused_mamba/mamba_nki_kernels.py"), name)
    delta, u = uniform(1, channels, 512) * 0.5, uniform(1, channels, 512)
    a, b, c = -uniform(channels, 16), uniform(1, 16, 512), uniform(1, 16, 512)
    return kernel, close(kernel(delta, u, a, b, c)[0], scan(delta[0], u[0], a, b[0], c[0]), 1e-3, 1e-3)


@case("0.1: fused mamba v1, 256 channels", "sdk-2.26", trn1=172.93)
def _(root):
    return _mamba(root, SDK, "mamba_v1", 256)


@case("0.1: fused mamba v2, 4096 channels", "sdk-2.26", is_large=True, trn1=1610)
def _(root):
    return _mamba(root, SDK, "mamba_v2", 4096)


@case("0.1: fused mamba v3, 256 channels", "sdk-2.26")
def _(root):
    return _mamba(root, SDK, "mamba_v3", 256)


def _product(root, name, k, m, n):
    kernel = getattr(load(f"{root}/{SDK}/matrix_multiplication/matrix_multiplication_nki_kernels.py"), name)
    a, b = bf16(uniform(k, m)), bf16(uniform(k, n))
    expected = nki.as_float(a).T @ nki.as_float(b)
    return kernel, close(kernel(a, b), expected, 1e-2, 1e-4)


@case("0.1: matmul, basic", "sdk-2.26")
def _(root):
    return _product(root, "nki_matmul_basic_", 128, 64, 512)


@case("0.1: matmul, hoisted loads", "sdk-2.26")
def _(root):
    return _product(root, "nki_matmul_hoist_load_", 1024, 1024, 1024)


@case("0.1: matmul, optimized, 2048 cubed", "sdk-2.26")
def _(root):
    return _product(root, "nki_matmul_fully_optimized_", 2048, 2048, 2048)


def _attention_forward(name, length):
    @case(f"0.1: attention forward {name}, {length}", "samples")
    def _(root):
        kernel = getattr(load(f"{root}/{TUTORIALS}/attention_fwd_performance/attention_kernels.py"), f"attn_fwd_{name}")
        kernel = old.jit(kernel)
        q, k, v = (uniform(128, length) - 0.5 for _ in range(3))
        weights = np.exp(q.T @ k)
        expected = weights / weights.sum(1, keepdims=True) @ v.T
        return kernel, of_max(nki.as_float(kernel(q, k, v)).reshape(expected.shape), expected, 2e-2)


for _name, _length in (("v1", 128), ("v2", 128), ("v3", 512)) + tuple(
        (name, 2048) for name in ("v4", "v5", "v6", "v7", "v8", "v8a", "v9", "v10", "v11")):
    _attention_forward(_name, _length)


# Published for 4096 rows of the result, each block of which takes the same time: here are 512 of them.
@case("0.1: matmul, tiled, an eighth of 4096 rows", "sdk-2.26", is_large=True, trn1=51800 / 8)
def _(root):
    return _product(root, "nki_matmul_tiled_", 8192, 512, 8192)


@case("0.1: matmul, blocked, an eighth of 4096 rows", "sdk-2.26", is_large=True, trn1=22070 / 8)
def _(root):
    return _product(root, "nki_matmul_block_free_dimension_", 8192, 512, 8192)


def _norms(root, folder, name):
    return getattr(load(f"{root}/{SDK}/{folder}"), name)


@case("0.1: layer norm v1, 300 rows", "sdk-2.26")
def _(root):
    return _layer_norm(_norms(root, "layernorm/layernorm_nki_kernel.py", "nki_layernorm_kernel_v1"))


@case("0.1: layer norm v2, 300 rows", "sdk-2.26")
def _(root):
    return _layer_norm(_norms(root, "layernorm/layernorm_nki_kernel.py", "nki_layernorm_kernel_v2"))


def _layer_norm(kernel):
    x, gamma, beta = uniform(300, 1024), uniform(1024), uniform(1024)
    wide = x.astype(np.float64)
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5) * gamma + beta
    return kernel, close(kernel(x, 1e-5, gamma, beta), expected, 1e-4, 1e-4)


@case("0.1: RMS norm, 250 rows", "sdk-2.26")
def _(root):
    kernel = _norms(root, "rmsnorm/rmsnorm_nki_kernels.py", "nki_rmsnorm_kernel")
    x, gamma = uniform(250, 512), uniform(512)
    return kernel, close(kernel(x, gamma), x / np.sqrt((x * x).mean(1, keepdims=True)) * gamma, 1e-4, 1e-4)


@case("0.1: flash attention, 2048, causal", "samples-2025")
def _(root):
    kernel = load(f"{root}/src/nki_samples/reference/attention.py").flash_fwd
    q, k = uniform(1, 1, 128, 2048) * 4 - 2, uniform(1, 1, 128, 2048) * 4 - 2
    v = uniform(1, 1, 2048, 128)
    scores = np.where(np.tri(2048, dtype=bool), q[0, 0].T @ k[0, 0] / np.sqrt(128), -np.inf)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    result, _ = kernel[1, 1](q, k, v, None)
    return kernel, of_max(nki.as_float(result)[0, 0], weights / weights.sum(1, keepdims=True) @ v[0, 0], 2e-2)


@case("0.1: bilinear interpolation, 128 x 30 x 20", "samples")
def _(root):
    kernel = load(f"{root}/contributed/interpolate_bilinear_fwd.py").interpolate_bilinear_2x_fwd
    x = uniform(1, 128, 30, 20)
    rows = _twice(x, 2)
    return kernel, close(kernel(x), _twice(rows, 3), 1e-5, 1e-5)


@case("0.1: trilinear interpolation, 64 x 6 x 8 x 10", "samples")
def _(root):
    kernel = load(f"{root}/contributed/interpolate_trilinear_fwd.py").interpolate_trilinear_2x_fwd
    x = uniform(1, 64, 6, 8, 10)
    return kernel, close(kernel(x), _twice(_twice(_twice(x, 2), 3), 4), 1e-5, 1e-5)


@case("0.1: fused RMS norm and product, 512 x 1024 x 512", "samples-2025")
def _(root):
    kernel = load(f"{root}/src/nki_samples/reference/allocated_fused_linear.py").allocated_fused_rms_norm_qkv
    x, w = bf16(uniform(1, 512, 1024)), bf16(uniform(1024, 512) - 0.5)
    wide = nki.as_float(x)[0].astype(np.float64)
    expected = wide / np.sqrt((wide * wide).mean(1, keepdims=True) + 1e-6) @ nki.as_float(w)
    return kernel, of_max(nki.as_float(kernel(x, w))[0], expected, 2e-2)


def _twice(x, axis):
    """Between neighbours at a quarter and three quarters, the ends repeated."""
    x = np.moveaxis(x, axis, 0)
    before, after = np.concatenate([x[:1], x[:-1]]), np.concatenate([x[1:], x[-1:]])
    made = np.stack([0.75 * x + 0.25 * before, 0.75 * x + 0.25 * after], axis=1)
    return np.moveaxis(made.reshape((-1,) + x.shape[1:]), 0, axis)


def _attention(root, length):
    kernel = load(f"{root}/src/nki_samples/reference/attention.py").fused_self_attn_for_SD_small_head_size
    q, k, v = uniform(1, 64, length), uniform(1, length, 64), uniform(1, length, 64)
    scores = q[0].T @ k[0].T * 0.125
    weights = np.exp(scores - scores.max(1, keepdims=True))
    expected = weights / weights.sum(1, keepdims=True) @ v[0]
    return kernel, close(kernel[1](q, k, v)[0], expected, 0, 1e-2)


@case("0.1: self-attention, small head, 1024", "samples-2025")
def _(root):
    return _attention(root, 1024)


@case("0.1: self-attention, small head, 4096", "samples-2025", trn1=558)
def _(root):
    return _attention(root, 4096)

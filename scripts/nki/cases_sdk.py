# SPDX-License-Identifier: Apache-2.0
"""Kernels of aws-neuron/aws-neuron-sdk."""
import sys

import numpy as np

import nki
import nki.language as nl

from harness import RANDOM, bf16, case, close, exact, kernel_of_page, load, normal, of_max, typed, uniform


@case("simulate: add", "sdk")
def _(root):
    module = load(f"{root}/nki/examples/simulate/nki_simulate_example.py")
    a, b = uniform(128, 512), uniform(128, 512)
    return module.add_kernel, close(module.add_kernel(a, b), a + b, 1e-5, 0)


@case("getting started: add", "sdk")
def _(root):
    module = load(f"{root}/nki/examples/getting_started_baremetal.py")
    kernel = module.nki_tensor_add_kernel
    a, b = uniform(4, 3).astype(np.float16), uniform(4, 3).astype(np.float16)
    return kernel, exact(kernel(a, b), a + b)


@case("transpose2d: float32", "sdk")
def _(root):
    kernel = load(f"{root}/nki/examples/transpose2d/transpose2d_nki_kernels.py").tensor_transpose2D_kernel_
    x = normal(128, 37 * 62)
    return kernel, exact(kernel(x, (37, 62)), x.reshape(128, 37, 62).transpose(0, 2, 1).reshape(128, -1))


@case("transpose2d: int8", "sdk")
def _(root):
    kernel = load(f"{root}/nki/examples/transpose2d/transpose2d_nki_kernels.py").tensor_transpose2D_kernel_
    x = RANDOM.integers(-128, 128, (128, 37 * 62)).astype(np.int8)
    return kernel, exact(kernel(x, (37, 62)), x.reshape(128, 37, 62).transpose(0, 2, 1).reshape(128, -1))


@case("average_pool2d", "sdk")
def _(root):
    kernel = load(f"{root}/nki/examples/average_pool2d/average_pool2d_nki_kernels.py").tensor_avgpool_kernel
    x = normal(16, 24, 24)
    expected = x.reshape(16, 12, 2, 12, 2).mean(axis=(2, 4))
    return kernel, close(kernel(x, 2), expected, 1e-5, 1e-6)


def _product(root, name, k, m, n):
    module = load(f"{root}/nki/examples/matrix_multiplication/matrix_multiplication_nki_kernels.py")
    kernel = getattr(module, name)
    a, b = bf16(uniform(k, m)), bf16(uniform(k, n))
    expected = nki.as_float(a).T.astype(np.float64) @ nki.as_float(b).astype(np.float64)
    # The result is rounded to bfloat16: half a unit in the last place on top of the tolerance.
    return kernel, close(kernel(a, b), expected, 1e-2, 1e-4)


@case("matmul: basic", "sdk")
def _(root):
    return _product(root, "nki_matmul_basic_", 128, 64, 512)


@case("matmul: tiled", "sdk")
def _(root):
    return _product(root, "nki_matmul_tiled_", 4096, 1024, 2048)


@case("matmul: loads hoisted", "sdk")
def _(root):
    return _product(root, "nki_matmul_hoist_load_", 4096, 1024, 2048)


@case("matmul: blocked free dimension", "sdk")
def _(root):
    return _product(root, "nki_matmul_block_free_dimension_", 4096, 1024, 2048)


@case("matmul: fully optimized", "sdk")
def _(root):
    module = load(f"{root}/nki/examples/matrix_multiplication/matrix_multiplication_nki_kernels.py")
    kernel = module.nki_matmul_fully_optimized_
    a, b = bf16(uniform(4096, 1024)), bf16(uniform(4096, 2048))
    expected = nki.as_float(a).T.astype(np.float64) @ nki.as_float(b).astype(np.float64)
    return kernel, close(kernel(a, b, TILES_IN_BLOCK_M=8), expected, 1e-2, 1e-4)


def _tutorial(root, number, m=4096, k=8192, n=8192):
    """Kernels of the kernel optimization tutorial, whose only text is the page."""
    kernel = kernel_of_page(f"{root}/nki/guides/tutorials/kernel-optimization.rst", number)
    a, b = uniform(k, m), uniform(k, n)
    result = kernel(a, b)
    rows = slice(7, None, 32)  # four of each tile
    return kernel, close(result[rows], a[:, rows].T.astype(np.float64) @ b.astype(np.float64), 1e-5, 1e-8)


@case("tutorial, FP32: one tile", "sdk")
def _(root):
    return _tutorial(root, 0, 128, 128, 512)


@case("tutorial, FP32: tiled", "sdk", is_large=True, trn2=39890)
def _(root):
    return _tutorial(root, 1)


@case("tutorial, FP32: loads hoisted", "sdk", is_large=True, trn2=28200)
def _(root):
    return _tutorial(root, 2)


# Published times of these two: the tensor engine's active time in the profile over its share.
@case("tutorial, FP32: blocked free dimensions", "sdk", is_large=True, trn2=28420)
def _(root):
    return _tutorial(root, 3)


@case("tutorial, FP32: blocked", "sdk", is_large=True, trn2=28300)
def _(root):
    return _tutorial(root, 4)


@case("mamba v1", "sdk", trn1=172.93)
def _(root):
    return _mamba(root, "mamba_v1")


@case("mamba v2", "sdk")
def _(root):
    return _mamba(root, "mamba_v2")


@case("mamba v3", "sdk")
def _(root):
    return _mamba(root, "mamba_v3")


@case("mamba v1: 4096 channels", "sdk", trn1=2340)
def _(root):
    return _mamba(root, "mamba_v1", 4096)


@case("mamba v2: 4096 channels", "sdk", trn1=1610)
def _(root):
    return _mamba(root, "mamba_v2", 4096)


def _mamba(root, name, channels=256):
    kernel = getattr(load(f"{root}/nki/examples/fused_mamba/mamba_nki_kernels.py"), name)
    batch, length, state = 1, 512, 16
    delta, u = uniform(batch, channels, length), uniform(batch, channels, length)
    a, b, c = -uniform(channels, state), uniform(batch, state, length), uniform(batch, state, length)
    delta_a = np.exp(delta[:, :, None, :] * a[None, :, :, None])
    delta_bu = delta[:, :, None, :] * b[:, None] * u[:, :, None, :]
    scan = np.zeros_like(delta_a)
    previous = 0
    for i in range(length):
        previous = scan[..., i] = delta_a[..., i] * previous + delta_bu[..., i]
    expected = (c[:, None] * scan).sum(axis=-2)
    return kernel, close(kernel(delta, u, a, b, c), expected, 1e-3, 1e-3)


def _x4(shape, dtype):
    """Random FP8 elements, four in a word, with their values; scales near 1 with theirs."""
    bits = RANDOM.integers(0, 256, shape + (4,)).astype(np.uint8)
    bits[(bits & 0x7f) > 0x77] &= 0x87  # small enough, and no NaN
    values = nki.as_float(typed(bits, dtype))
    scales = RANDOM.integers(125, 130, (shape[0] // 8, shape[1])).astype(np.uint8)
    values = values * np.repeat(2.0**(scales.astype(int) - 127), 8, axis=0)[..., None]
    return bits.view(np.uint32)[..., 0], scales, values


def _mx_module(root):
    folder = f"{root}/nki/deep-dives/src/mxfp-matmul"
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return load(f"{folder}/mx_kernels.py")


@case("mx: quantised offline", "sdk")
def _(root):
    kernel = _mx_module(root).kernel_offline_quantized_mx_matmul
    worst = 0.0
    for dtype, x4 in ((nl.float8_e4m3fn, nl.float8_e4m3fn_x4), (nl.float8_e5m2, nl.float8_e5m2_x4)):
        a, a_scales, a_values = _x4((128, 128), dtype)
        b, b_scales, b_values = _x4((128, 512), dtype)
        expected = np.einsum("kms,kns->mn", a_values, b_values)
        worst = max(worst, of_max(kernel(a, a_scales, b, b_scales, x4), expected, 5e-2))
    return kernel, worst


def _quantised_on_device(root, name):
    kernel = getattr(_mx_module(root), name)
    a, b = bf16(normal(512, 128)), bf16(normal(512, 512))
    expected = nki.as_float(a).astype(np.float64).T @ nki.as_float(b)
    worst = 0.0
    for by_copy in (True, False):
        worst = max(worst, of_max(kernel(a, b, nl.float8_e4m3fn_x4, by_copy), expected, 5e-2))
    return kernel, worst


@case("mx: quantised on the device", "sdk")
def _(root):
    return _quantised_on_device(root, "kernel_copy_strided_quantize_matmul_mx")


@case("mx: scales in one tile", "sdk")
def _(root):
    return _quantised_on_device(root, "kernel_copy_strided_quantize_matmul_mx_packed_scale")

# SPDX-License-Identifier: Apache-2.0
"""Public kernels from checkouts of their repositories (scripts/nki-public).

Their files are imported as they are; references and arguments are this file's.
"""
import argparse
import importlib
import importlib.util
import os
import sys
import time
import traceback
import types

import numpy as np

import nki
import nki.language as nl

# A file by which a checkout is recognised.
MARKS = {
    "sdk": "nki/examples/transpose2d",
    "library": "src/nkilib_src/nkilib",
    "samples": "src/nki_samples",
    "autotune": "kernel_library/matmul",
    "autocomp": "harnesses/trn-tutorial-nki2",
}
CASES = []


def case(name, repository, **published):
    """published: times in us on real chips, by target (docs/nki.md)."""
    def enter(function):
        CASES.append((name, repository, published, function))
        return function
    return enter


class Standin(types.ModuleType):
    """A module that files import beside their kernel and that is not installed."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Standin(f"{self.__name__}.{name}")

    def __call__(self, *_, **__):
        return self


def allow_missing(*names):
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            parts = name.split(".")
            for i in range(len(parts)):
                sys.modules.setdefault(".".join(parts[:i + 1]), Standin(".".join(parts[:i + 1])))


def load(path):
    """The module of a file outside any package."""
    allow_missing("torch", "torch_xla", "torch_xla.core", "torch_xla.core.xla_model")
    spec = importlib.util.spec_from_file_location("public_" + os.path.basename(path).replace(".", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def package(folder, name):
    if folder not in sys.path:
        sys.path.insert(0, folder)
    allow_missing("torch")
    return importlib.import_module(name)


def bf16(values):
    return nki.array(values, nl.bfloat16)


def close(result, expected, rtol, atol):
    """Largest error over the tolerance; above 1 it fails."""
    result, expected = nki.as_float(result).astype(np.float64), np.asarray(expected, dtype=np.float64)
    if result.shape != expected.shape:
        raise AssertionError(f"shape {result.shape}, expected {expected.shape}")
    if not np.isfinite(result).all():
        raise AssertionError("results are not finite")
    return float((np.abs(result - expected) / (atol + rtol * np.abs(expected))).max())


def exact(result, expected):
    return 0.0 if np.array_equal(np.asarray(result), expected) else float("inf")


RANDOM = np.random.default_rng(42)


def uniform(*shape):
    return RANDOM.random(shape, dtype=np.float32)


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def of_max(result, expected, share):
    """Error of the whole tensor against a share of its largest value."""
    difference = np.abs(nki.as_float(result).astype(np.float64) - expected).max()
    return float(difference / (share * np.abs(expected).max()))


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


@case("layernorm", "autocomp")
def _(root):
    kernel = load(f"{root}/harnesses/trn-tutorial-nki2/1_layernorm_test.py").nki_layernorm_kernel_v2
    x, gamma, beta = uniform(512, 1024), uniform(1024), uniform(1024)
    wide = x.astype(np.float64)
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5) * gamma + beta
    return kernel, close(kernel(x, 1e-5, gamma, beta), expected, 1e-3, 5e-3)


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


@case("cumsum", "library")
def _(root):
    kernel = package(f"{root}/src/nkilib_src", "nkilib.core.cumsum.cumsum").cumsum
    worst = 0.0
    for shape in ((1, 256), (128, 2048), (2, 4096)):
        x = uniform(*shape)
        worst = max(worst, close(kernel(x), np.cumsum(x, -1, dtype=np.float64), 1e-3, 1e-3))
    x = bf16(uniform(64, 4, 1024))
    return kernel, max(worst, close(kernel(x), np.cumsum(nki.as_float(x), -1, dtype=np.float64), 1e-2, 1e-2))


@case("mamba v1", "sdk", trn1=172.93)
def _(root):
    return _mamba(root, "mamba_v1")


@case("mamba v2", "sdk")
def _(root):
    return _mamba(root, "mamba_v2")


@case("mamba v3", "sdk")
def _(root):
    return _mamba(root, "mamba_v3")


def _mamba(root, name):
    kernel = getattr(load(f"{root}/nki/examples/fused_mamba/mamba_nki_kernels.py"), name)
    batch, channels, length, state = 1, 256, 512, 16
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


def _rmsnorm(root, *shape):
    function = package(f"{root}/src/nkilib_src", "nkilib.core.subkernels.rmsnorm_tkg").rmsnorm_tkg
    kernel = nki.jit(function)
    x, gamma = normal(*shape).astype(np.float16), normal(1, shape[-1]).astype(np.float16)
    wide = x.astype(np.float64)
    expected = wide / np.sqrt((wide**2).mean(-1, keepdims=True) + 1e-6) * gamma
    b, s, h = shape
    expected = expected.reshape(b * s, 128, h // 128).transpose(1, 0, 2)
    result = kernel(x, gamma, np.zeros((128, b * s, h // 128), np.float16))
    return kernel, close(result, expected, 2e-2, 1e-5)


@case("rmsnorm, token generation: 1, 1, 8192", "library", trn2=18.69)
def _(root):
    return _rmsnorm(root, 1, 1, 8192)


@case("rmsnorm, token generation: 1, 8, 8192", "library", trn2=21.89)
def _(root):
    return _rmsnorm(root, 1, 8, 8192)


@case("rmsnorm, token generation: 1, 4, 2048", "library")
def _(root):
    return _rmsnorm(root, 1, 4, 2048)


@case("cross entropy, forward", "library")
def _(root):
    module = package(f"{root}/src/nkilib_src", "nkilib.experimental.loss.cross_entropy")
    kernel = module.cross_entropy_forward
    worst = 0.0
    for positions, words, make, tolerance in ((64, 32128, bf16, 1e-2), (64, 8192, np.asarray, 1e-5)):
        logits = make(normal(positions, words))
        targets = RANDOM.integers(0, words, positions).astype(np.int32)
        wide = nki.as_float(logits).astype(np.float64)
        lse = np.log(np.exp(wide - wide.max(1, keepdims=True)).sum(1)) + wide.max(1)
        result = kernel(logits, targets, chunk_size=words, dtype=nl.float32 if make is np.asarray else nl.bfloat16)
        worst = max(worst, close(result[0].reshape(-1), lse - wide[np.arange(positions), targets], tolerance, tolerance))
    return kernel, worst


@case("output projection, token generation", "library")
def _(root):
    kernel = package(f"{root}/src/nkilib_src", "nkilib.core.output_projection.output_projection_tkg").output_projection_tkg
    b, n, s, d, h = 4, 8, 4, 64, 3072
    attention, weight = bf16(normal(d, b, n, s)), bf16(normal(n * d, h) / 16)
    expected = np.einsum("dbns,ndh->bsh", nki.as_float(attention), nki.as_float(weight).reshape(n, d, h)).reshape(b * s, h)
    return kernel, of_max(kernel(attention, weight), expected, 2e-2)


def _mlp(root, batch, positions, hidden, inner, norm, fused):
    module = package(f"{root}/src/nkilib_src", "nkilib.core.mlp.mlp")
    common = importlib.import_module("nkilib.core.utils.common_types")
    x, more = normal(batch, positions, hidden), normal(batch, positions, hidden)
    gate, up = normal(hidden, inner) / 64, normal(hidden, inner) / 64
    down, gamma = normal(inner, hidden) / 16, uniform(1, hidden)
    arrays = [bf16(a) for a in (x, gate, up, down)]
    wide = [nki.as_float(a).astype(np.float64) for a in arrays]
    options = {}
    state = wide[0]
    if fused:
        options.update(fused_add_tensor=bf16(more), store_fused_add_result=True)
        state = state + nki.as_float(options["fused_add_tensor"])
    if norm:
        options.update(normalization_weights_tensor=bf16(gamma), normalization_type=common.NormType.RMS_NORM)
        scale = nki.as_float(options["normalization_weights_tensor"])
        state = state / np.sqrt((state**2).mean(-1, keepdims=True) + 1e-6) * scale
    opened = state @ wide[1]
    expected = (opened / (1 + np.exp(-opened)) * (state @ wide[2])) @ wide[3]
    result = module.mlp(*arrays, **options)
    result = result[0] if isinstance(result, tuple) else result
    return module.mlp, of_max(np.asarray(nki.as_float(result)).reshape(expected.shape), expected, 2e-2)


@case("mlp, token generation: 1, 1, 8192, 448", "library", trn2=76.5)
def _(root):
    return _mlp(root, 1, 1, 8192, 448, True, True)


@case("mlp, token generation: 1, 1, 16384, 416", "library", trn2=118.4)
def _(root):
    return _mlp(root, 1, 1, 16384, 416, False, False)


@case("mlp, context: 1, 512, 1024, 448", "library", trn2=80.5)
def _(root):
    return _mlp(root, 1, 512, 1024, 448, True, True)


def _attention(root, batch, queries, keys, size, causal, make):
    module = package(f"{root}/src/nkilib_src", "nkilib.core.attention.attention_cte")
    q, k, v = (make(normal(batch, length, size)) for length in (queries, keys, keys))
    wide = [nki.as_float(x).astype(np.float64) for x in (q, k, v)]
    scale = 1 / np.sqrt(size)
    scores = scale * wide[0] @ wide[1].transpose(0, 2, 1)
    if causal:
        scores = np.where(np.tri(queries, keys, dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    expected = weights / weights.sum(-1, keepdims=True) @ wide[2]
    result = module.attention_cte(q, k, v, scale=scale, causal_mask=causal, tp_q=True, tp_k=True)
    return module.attention_cte, of_max(result, expected, 2e-2)


@case("attention, context: 1 x 512 x 512, causal", "library")
def _(root):
    return _attention(root, 1, 512, 512, 64, True, bf16)


@case("attention, context: 3 x 2048 x 2048, causal", "library", trn2=209)
def _(root):
    return _attention(root, 3, 2048, 2048, 64, True, lambda x: x.astype(np.float16))


@case("attention, context: 1 x 1024 x 2048, full", "library")
def _(root):
    return _attention(root, 1, 1024, 2048, 128, False, bf16)


@case("rotary embedding", "library")
def _(root):
    kernel = package(f"{root}/src/nkilib_src", "nkilib.core.embeddings.rope").RoPE
    size, batch, heads, length = 128, 1, 4, 256
    x = normal(size, batch, heads, length)
    angles = uniform(size // 2, batch, length) * 6.28
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[:size // 2], x[size // 2:]
    c, s = cos[:, :, None], sin[:, :, None]
    expected = np.concatenate([first * c - second * s, second * c + first * s])
    return kernel, close(kernel(x, cos, sin), expected, 1e-5, 1e-5)


@case("cascaded maximum", "library")
def _(root):
    kernel = package(f"{root}/src/nkilib_src", "nkilib.core.max.cascaded_max").cascaded_max
    x = normal(4, 1, 32000)
    values, indices = kernel(x)
    good = np.array_equal(values.reshape(4), x.max(-1).reshape(4)) and np.array_equal(
        indices.reshape(4).astype(np.int64), x.argmax(-1).reshape(4))
    return kernel, 0.0 if good else float("inf")


@case("rmsnorm and quantisation", "library")
def _(root):
    module = package(f"{root}/src/nkilib_src", "nkilib.core.rmsnorm.rmsnorm_quant")
    kernel = module.rmsnorm_quant_kernel
    x, gamma = bf16(normal(1, 256, 1024)), bf16(uniform(1, 1024))
    wide = nki.as_float(x).astype(np.float64)
    expected = wide / np.sqrt((wide**2).mean(-1, keepdims=True) + 1e-6) * nki.as_float(gamma)
    result = kernel(x, gamma, module.RmsNormQuantKernelArgs())
    raw = np.asarray(result).view(np.uint8)[0]  # elements, and the scale of each row as FP32 at its end
    scales = np.ascontiguousarray(raw[:, 1024:1028]).view(np.float32)
    values = nki.as_float(_typed(np.ascontiguousarray(raw[:, :1024]), nl.float8_e4m3)) * scales
    return kernel, of_max(values, expected[0], 7.2e-2)


@case("elementwise add of dynamic shapes", "library")
def _(root):
    kernel = package(f"{root}/src/nkilib_src", "nkilib.experimental.dynamic_shapes.dynamic_elementwise_add")
    kernel = kernel.dynamic_elementwise_add
    a, b = bf16(normal(256, 512)), bf16(normal(256, 512))
    result = kernel(a, b, np.array([[128]], np.int32))
    return kernel, close(result, nki.as_float(a) + nki.as_float(b), 1e-2, 1e-3)


def _x4(shape, dtype):
    """Random FP8 elements, four in a word, with their values; scales near 1 with theirs."""
    bits = RANDOM.integers(0, 256, shape + (4,)).astype(np.uint8)
    bits[(bits & 0x7f) > 0x77] &= 0x87  # small enough, and no NaN
    values = nki.as_float(_typed(bits, dtype))
    scales = RANDOM.integers(125, 130, (shape[0] // 8, shape[1])).astype(np.uint8)
    values = values * np.repeat(2.0**(scales.astype(int) - 127), 8, axis=0)[..., None]
    return bits.view(np.uint32)[..., 0], scales, values


def _typed(bits, dtype):
    array = bits.view(nki.TypedArray)
    array.nki_dtype = dtype
    return array


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


def run(name, published, function, root):
    start = time.monotonic()
    try:
        kernel, error = function(root)
    except Exception as problem:  # noqa: BLE001: whatever a kernel raises is its result
        if os.environ.get("NKI_PUBLIC_TRACEBACK"):
            traceback.print_exc()
        print(f"{'FAIL':5} {name:44} {type(problem).__name__}: {problem}", flush=True)
        return False
    good = error <= 1
    seconds = time.monotonic() - start
    latency = kernel.last_run.latency_us
    real = published.get(os.environ.get("NEURON_PLATFORM_TARGET_OVERRIDE", "trn3"))
    beside = "" if real is None else f", published {real} us, ratio {latency / real:.2f}"
    print(f"{'ok' if good else 'WRONG':5} {name:44} error / tolerance {error:.3f}, {latency:.2f} us simulated{beside}, "
          f"{seconds:.1f} s", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(prog="scripts/nki-public")
    parser.add_argument("checkouts", nargs="*")
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        print("\n".join(f"{repository:9} {name}" for name, repository, *_ in CASES))
        return 0
    roots = {}
    for path in options.checkouts:
        found = [r for r, mark in MARKS.items() if os.path.exists(os.path.join(path, mark))]
        if not found:
            parser.error(f"{path}: no checkout of a known repository")
        roots[found[0]] = os.path.abspath(path)
    results = []
    for name, repository, published, function in CASES:
        if options.only not in name:
            continue
        if repository not in roots:
            print(f"skip  {name:44} no checkout of {repository}")
            continue
        results.append(run(name, published, function, roots[repository]))
    print(f"{sum(results)} of {len(results)} passed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Kernels of aws-neuron/nki-library."""
import importlib
import math

import numpy as np

import nki
import nki.language as nl

from harness import RANDOM, bf16, case, close, normal, of_max, package, typed, uniform


@case("cumsum", "library")
def _(root):
    kernel = package(f"{root}/src/nkilib_src", "nkilib.core.cumsum.cumsum").cumsum
    worst = 0.0
    for shape in ((1, 256), (128, 2048), (2, 4096)):
        x = uniform(*shape)
        worst = max(worst, close(kernel(x), np.cumsum(x, -1, dtype=np.float64), 1e-3, 1e-3))
    x = bf16(uniform(64, 4, 1024))
    return kernel, max(worst, close(kernel(x), np.cumsum(nki.as_float(x), -1, dtype=np.float64), 1e-2, 1e-2))


def _rmsnorm(root, *shape, cores=1):
    function = package(f"{root}/src/nkilib_src", "nkilib.core.subkernels.rmsnorm_tkg").rmsnorm_tkg
    kernel = nki.jit(function)
    x, gamma = normal(*shape).astype(np.float16), normal(1, shape[-1]).astype(np.float16)
    wide = x.astype(np.float64)
    expected = wide / np.sqrt((wide**2).mean(-1, keepdims=True) + 1e-6) * gamma
    b, s, h = shape
    halves = np.split(expected.reshape(b * s, h), cores, axis=1)  # each core's part of the hidden dimension
    expected = np.concatenate([half.reshape(b * s, 128, h // 128 // cores).transpose(1, 0, 2) for half in halves], axis=2)
    result = kernel[cores](x, gamma, np.zeros((128, b * s, h // 128), np.float16))
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


def _output_projection(root, cores=1):
    kernel = package(f"{root}/src/nkilib_src", "nkilib.core.output_projection.output_projection_tkg").output_projection_tkg
    b, n, s, d, h = 4, 8, 4, 64, 3072
    attention, weight = bf16(normal(d, b, n, s)), bf16(normal(n * d, h) / 16)
    expected = np.einsum("dbns,ndh->bsh", nki.as_float(attention), nki.as_float(weight).reshape(n, d, h)).reshape(b * s, h)
    return kernel, of_max(kernel[cores](attention, weight), expected, 2e-2)


@case("output projection, token generation", "library")
def _(root):
    return _output_projection(root)


def _normed(state, norm, gamma):
    if norm == "rms":
        return state / np.sqrt((state**2).mean(-1, keepdims=True) + 1e-6) * gamma
    state = state - state.mean(-1, keepdims=True)
    return state / np.sqrt((state**2).mean(-1, keepdims=True) + 1e-6) * gamma


def _activated(x, name):
    if name == "SiLU":
        return x / (1 + np.exp(-x))
    return x / 2 * (1 + np.vectorize(math.erf)(x / np.sqrt(2)))


def _mlp(root, *shape, norm="", added=False, stored=False, gated=True, function="SiLU", cores=1):
    """shape: batch, positions, hidden, inner. added: a tensor is added to the input first, stored: that sum is a result."""
    module = package(f"{root}/src/nkilib_src", "nkilib.core.mlp.mlp")
    common = importlib.import_module("nkilib.core.utils.common_types")
    batch, positions, hidden, inner = shape
    x, more = normal(batch, positions, hidden), normal(batch, positions, hidden)
    gate, up = normal(hidden, inner) / 64, normal(hidden, inner) / 64
    down, gamma = normal(inner, hidden) / 16, uniform(1, hidden)
    arrays = [bf16(a) for a in (x, gate, up, down)]
    wide = [nki.as_float(a).astype(np.float64) for a in arrays]
    options = {"activation_fn": common.ActFnType[function], "skip_gate_proj": not gated}
    state = wide[0]
    if added:
        options.update(fused_add_tensor=bf16(more), store_fused_add_result=stored)
        state = state + nki.as_float(options["fused_add_tensor"])
    if norm:
        kind = common.NormType.RMS_NORM if norm == "rms" else common.NormType.LAYER_NORM
        options.update(normalization_weights_tensor=bf16(gamma), normalization_type=kind)
        state = _normed(state, norm, nki.as_float(options["normalization_weights_tensor"]))
    opened = state @ wide[2]
    opened = _activated(state @ wide[1], function) * opened if gated else _activated(opened, function)
    expected = opened @ wide[3]
    result = module.mlp[cores](*arrays, **options)
    result = result[0] if isinstance(result, (tuple, list)) else result
    return module.mlp, of_max(np.asarray(nki.as_float(result)).reshape(expected.shape), expected, 2e-2)


@case("mlp, token generation: 1, 1, 8192, 448", "library", trn2=76.5)
def _(root):
    return _mlp(root, 1, 1, 8192, 448, norm="rms", added=True, stored=True)


@case("mlp, token generation: 1, 1, 7168, 896", "library", trn2=112.2)
def _(root):
    return _mlp(root, 1, 1, 7168, 896, norm="rms", added=True, stored=True)


@case("mlp, token generation: 1, 1, 16384, 416", "library", trn2=118.4)
def _(root):
    return _mlp(root, 1, 1, 16384, 416)


@case("mlp, token generation: 1, 1, 16384, 832", "library", trn2=224.5)
def _(root):
    return _mlp(root, 1, 1, 16384, 832)


@case("mlp, token generation: 3, 8, 8192, 832", "library", trn2=124.9)
def _(root):
    return _mlp(root, 3, 8, 8192, 832, norm="layer")


@case("mlp, token generation: 4, 2, 16384, 832", "library", trn2=229.1)
def _(root):
    return _mlp(root, 4, 2, 16384, 832, norm="rms")


@case("mlp, context: 1, 512, 1024, 448", "library", trn2=80.5)
def _(root):
    return _mlp(root, 1, 512, 1024, 448, norm="rms", added=True)


@case("mlp, context: 1, 578, 1408, 352, up only, GELU", "library", trn2=66.3)
def _(root):
    return _mlp(root, 1, 578, 1408, 352, gated=False, function="GELU")


@case("mlp, context: 1, 578, 1408, 352, GELU", "library", trn2=84.8)
def _(root):
    return _mlp(root, 1, 578, 1408, 352, function="GELU")


@case("mlp, context: 1, 8192, 8192, 448", "library", trn2=3785)
def _(root):
    return _mlp(root, 1, 8192, 8192, 448, added=True, stored=True)


def _attention(root, batch, queries, keys, size, causal, make, keys_first=True, cores=1):
    """keys_first: K comes as [keys, size], to be transposed, not as [size, keys]."""
    module = package(f"{root}/src/nkilib_src", "nkilib.core.attention.attention_cte")
    q, k, v = (make(normal(batch, length, size)) for length in (queries, keys, keys))
    wide = [nki.as_float(x).astype(np.float64) for x in (q, k, v)]
    scale = 1 / np.sqrt(size)
    expected = np.empty((batch, queries, size))
    for b in range(batch):
        for first in range(0, queries, 1024):  # scores of all queries would take much memory
            part = slice(first, first + 1024)
            scores = scale * wide[0][b, part] @ wide[1][b].T
            if causal:
                scores = np.where(np.tri(scores.shape[0], keys, k=first, dtype=bool), scores, -np.inf)
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            expected[b, part] = weights / weights.sum(-1, keepdims=True) @ wide[2][b]
    if not keys_first:
        k = make(np.ascontiguousarray(nki.as_float(k).transpose(0, 2, 1)))
    result = module.attention_cte[cores](q, k, v, scale=scale, causal_mask=causal, tp_q=True, tp_k=keys_first)
    return module.attention_cte, of_max(result, expected, 2e-2)


def _fp16(values):
    return np.asarray(values).astype(np.float16)


@case("attention, context: 1 x 512 x 512, causal", "library")
def _(root):
    return _attention(root, 1, 512, 512, 64, True, bf16)


@case("attention, context: 1 x 1024 x 2048, full", "library")
def _(root):
    return _attention(root, 1, 1024, 2048, 128, False, bf16)


@case("attention, context: 3 x 2048 x 2048, 128, causal", "library", trn2=209)
def _(root):
    return _attention(root, 3, 2048, 2048, 128, True, _fp16, keys_first=False)


@case("attention, context: 1 x 4096 x 9216, 64, full, FP32", "library", trn2=580)
def _(root):
    return _attention(root, 1, 4096, 9216, 64, False, np.asarray, keys_first=False)


@case("attention, context: 1 x 9216 x 4096, 64, full, FP32", "library", trn2=567)
def _(root):
    return _attention(root, 1, 9216, 4096, 64, False, np.asarray, keys_first=False)


@case("attention, context: 1 x 9216 x 9216, 64, causal", "library", trn2=694)
def _(root):
    return _attention(root, 1, 9216, 9216, 64, True, bf16, keys_first=False)


@case("attention, context: 1 x 2048 x 16384, 128, full, FP32", "library", trn2=520)
def _(root):
    return _attention(root, 1, 2048, 16384, 128, False, np.asarray, keys_first=False)


@case("attention, context: 1 x 4096 x 16384, 128, full", "library", trn2=981)
def _(root):
    return _attention(root, 1, 4096, 16384, 128, False, bf16, keys_first=False)


@case("attention, context: 1 x 16384 x 16384, 64, causal", "library", trn2=1960)
def _(root):
    return _attention(root, 1, 16384, 16384, 64, True, _fp16, keys_first=False)


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


def _cascaded_max(root, cores=1):
    kernel = package(f"{root}/src/nkilib_src", "nkilib.core.max.cascaded_max").cascaded_max
    x = normal(4, 1, 32000)
    values, indices = kernel[cores](x)
    good = np.array_equal(values.reshape(4), x.max(-1).reshape(4)) and np.array_equal(
        indices.reshape(4).astype(np.int64), x.argmax(-1).reshape(4))
    return kernel, 0.0 if good else float("inf")


@case("cascaded maximum", "library")
def _(root):
    return _cascaded_max(root)


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
    values = nki.as_float(typed(np.ascontiguousarray(raw[:, :1024]), nl.float8_e4m3)) * scales
    return kernel, of_max(values, expected[0], 7.2e-2)


@case("elementwise add of dynamic shapes", "library")
def _(root):
    kernel = package(f"{root}/src/nkilib_src", "nkilib.experimental.dynamic_shapes.dynamic_elementwise_add")
    kernel = kernel.dynamic_elementwise_add
    worst = 0.0
    for rows, columns, tiles in ((128, 512, 1), (1024, 2048, 8), (512, 1024, 3)):
        a, b = bf16(normal(rows, columns)), bf16(normal(rows, columns))
        result = kernel(a, b, np.array([[tiles]], np.int32))
        known = 128 * tiles
        worst = max(worst, close(result[:known], (nki.as_float(a) + nki.as_float(b))[:known], 1e-2, 1e-3))
    return kernel, worst


# On two cores.
@case("two cores: rmsnorm, token generation: 1, 8, 8192", "library")
def _(root):
    return _rmsnorm(root, 1, 8, 8192, cores=2)


@case("two cores: rmsnorm, token generation: 1, 1, 8192", "library")
def _(root):
    return _rmsnorm(root, 1, 1, 8192, cores=2)


@case("two cores: output projection, token generation", "library")
def _(root):
    return _output_projection(root, cores=2)


@case("two cores: mlp, token generation: 1, 1, 8192, 448", "library")
def _(root):
    return _mlp(root, 1, 1, 8192, 448, norm="rms", added=True, stored=True, cores=2)


@case("two cores: mlp, context: 1, 512, 1024, 448", "library")
def _(root):
    return _mlp(root, 1, 512, 1024, 448, norm="rms", added=True, stored=True, cores=2)


@case("two cores: mlp, context: 1, 1024, 8192, 448", "library", trn2=278)
def _(root):
    return _mlp(root, 1, 1024, 8192, 448, cores=2)


@case("two cores: attention, context: 2 x 512 x 512, causal", "library")
def _(root):
    return _attention(root, 2, 512, 512, 64, True, bf16, cores=2)


@case("two cores: cascaded maximum", "library")
def _(root):
    return _cascaded_max(root, cores=2)

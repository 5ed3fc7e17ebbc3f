# SPDX-License-Identifier: Apache-2.0
"""Further kernels of aws-neuron/nki-library, each on one core and on two."""
import importlib

import numpy as np

import nki
import nki.language as nl

from harness import RANDOM, bf16, case, close, exact, normal, of_max, package, typed, uniform


def _on_one_and_two(name):
    def enter(function):
        case(name, "library")(lambda root: function(root, 1))
        case("two cores: " + name, "library")(lambda root: function(root, 2))
    return enter


def _module(root, name):
    return package(f"{root}/src/nkilib_src", f"nkilib.{name}")


@_on_one_and_two("attention backwards: 2 heads, 512, causal")
def _(root, cores):
    kernel = nki.jit(_module(root, "core.attention.attention_bwd").attention_bwd)
    b, h, d, s = 1, 2, 64, 512
    q, k, v, dy = (normal(b, h, d, s) / 2 for _ in range(4))
    scale = 1 / np.sqrt(d)
    scores = np.einsum("bhdq,bhdk->bhqk", q, k).astype(np.float64) * scale
    scores = np.where(np.tri(s, dtype=bool), scores, -np.inf)
    top = scores.max(-1, keepdims=True)
    total = np.exp(scores - top).sum(-1, keepdims=True)
    p = np.exp(scores - top) / total
    lse = (top + np.log(total))[..., 0].reshape(b, h, s // 128, 128).transpose(0, 1, 3, 2).astype(np.float32)
    out = np.einsum("bhqk,bhdk->bhdq", p, v).astype(np.float32)
    dp = np.einsum("bhdq,bhdk->bhqk", dy, v)
    ds = p * (dp - (dp * p).sum(-1, keepdims=True))
    expected = (np.einsum("bhqk,bhdk->bhdq", ds, k) * scale, np.einsum("bhqk,bhdq->bhdk", ds, q) * scale,
                np.einsum("bhqk,bhdq->bhdk", p, dy))
    arrays = [bf16(x) for x in (q, k, v, out, dy)]
    results = kernel[cores](*arrays, lse, use_causal_mask=True, mixed_precision=True)
    return kernel, max(of_max(result, want, 2e-2) for result, want in zip(results, expected))


@_on_one_and_two("conv1d: 64 to 96 channels, 300")
def _(root, cores):
    kernel = nki.jit(_module(root, "experimental.conv.conv1d").conv1d)
    x, w = normal(1, 64, 300), normal(5, 64, 96)
    expected = sum(np.einsum("cl,co->ol", x[0][:, k:k + 296].astype(np.float64), w[k]) for k in range(5))
    return kernel, close(kernel[cores](x, w, lnc_shard=cores == 2)[0], expected, 1e-4, 1e-4)


@_on_one_and_two("sum of routed rows: 16 tokens, 2 experts")
def _(root, cores):
    kernel = nki.jit(_module(root, "experimental.subkernels.topk_reduce").topk_reduce)
    tokens, experts, hidden, rows = 16, 2, 1024, 128
    raw = np.asarray(bf16(normal(rows, hidden + 2))).view(np.uint16).copy()
    token = np.full(rows, -1, np.int32)
    token[RANDOM.permutation(rows)[:tokens * experts]] = np.repeat(np.arange(tokens), experts)
    raw[:, hidden:] = token.view(np.uint16).reshape(rows, 2)  # the number of its token at the end of each row
    x = typed(raw, nl.bfloat16)
    wide = nki.as_float(x)[:, :hidden]
    expected = np.stack([wide[token == t].sum(0) for t in range(tokens)])
    return kernel, of_max(kernel[cores](x, tokens, experts), expected, 2e-2)


def _experts(root, cores, all_experts):
    kernel = nki.jit(_module(root, "core.moe.moe_tkg.moe_tkg").moe_tkg)
    common = importlib.import_module("nkilib.core.utils.common_types")
    tokens, hidden, inner, experts, chosen = 4, 512, 256, 4, 2
    x, down = bf16(normal(tokens, hidden)), bf16(normal(experts, inner, hidden) / 16)
    gate_up = bf16(normal(experts, hidden, 2, inner) / 16)
    affinity, index = np.zeros((tokens, experts), np.float32), np.zeros((tokens, chosen), np.int32)
    for t in range(tokens):
        index[t] = np.sort(RANDOM.permutation(experts)[:chosen])
        affinity[t, index[t]] = RANDOM.random(chosen)
    more = {"rank_id": np.zeros((1, 1), np.int32)} if all_experts else {}
    result = kernel[cores](x, gate_up, down, affinity, index, all_experts,
                           expert_affinities_scaling_mode=common.ExpertAffinityScaleMode.POST_SCALE, **more)
    wide, expected = nki.as_float(x).astype(np.float64), 0.0
    for e in range(experts):
        gate, up = wide @ nki.as_float(gate_up)[e, :, 0], wide @ nki.as_float(gate_up)[e, :, 1]
        expected = expected + affinity[:, e:e + 1] * ((gate / (1 + np.exp(-gate)) * up) @ nki.as_float(down)[e])
    return kernel, of_max(result, expected, 2e-2)


@_on_one_and_two("mixture of experts, token generation: all of 4")
def _(root, cores):
    return _experts(root, cores, True)


@_on_one_and_two("mixture of experts, token generation: 2 of 4")
def _(root, cores):
    return _experts(root, cores, False)


def _layernorm(root, cores):
    kernel = nki.jit(_module(root, "core.subkernels.layernorm_tkg").layernorm_tkg)
    s, h = 4, 2048
    x, gamma, beta = (normal(*shape).astype(np.float16) for shape in ((1, s, h), (1, h), (1, h)))
    wide = x.astype(np.float64)
    expected = (wide - wide.mean(-1, keepdims=True)) / np.sqrt(wide.var(-1, keepdims=True) + 1e-6) * gamma + beta
    halves = np.split(expected.reshape(s, h), cores, axis=1)
    expected = np.concatenate([half.reshape(s, 128, h // 128 // cores).transpose(1, 0, 2) for half in halves], axis=2)
    return kernel, of_max(kernel[cores](x, gamma, np.zeros((128, s, h // 128), np.float16), beta), expected, 2e-2)


def _qkv(root, positions, cores):
    module = _module(root, "core.qkv.qkv")
    common = importlib.import_module("nkilib.core.utils.common_types")
    kernel = nki.jit(module.qkv)
    x, weight, gamma = bf16(normal(1, positions, 1024)), bf16(normal(1024, 768) / 32), bf16(uniform(1, 1024))
    wide = nki.as_float(x).astype(np.float64)
    wide = wide / np.sqrt((wide**2).mean(-1, keepdims=True) + 1e-6) * nki.as_float(gamma)
    result = kernel[cores](x, weight, fused_norm_type=common.NormType.RMS_NORM, gamma_norm_weights=gamma, d_head=128,
                           num_q_heads=4, num_kv_heads=1)
    return kernel, of_max(result, wide @ nki.as_float(weight), 2e-2)


def _nonzero_indices(root, cores):
    kernel = nki.jit(_module(root, "core.subkernels.find_nonzero_indices").find_nonzero_indices)
    x = (RANDOM.random((512, 16)) < 0.1).astype(np.float32)
    indices, counts = kernel[cores](x)
    columns = [np.nonzero(column)[0] for column in x.T]
    good = all(count == len(rows) and np.array_equal(found[:len(rows)], rows)
               for found, count, rows in zip(np.asarray(indices), counts.reshape(-1), columns))
    return kernel, 0.0 if good else float("inf")


_on_one_and_two("layer norm, token generation: 1, 4, 2048")(_layernorm)
_on_one_and_two("query, key and value, context: 256")(lambda root, cores: _qkv(root, 256, cores))
_on_one_and_two("query, key and value, token generation: 4")(lambda root, cores: _qkv(root, 4, cores))
_on_one_and_two("indices of non-zero elements")(_nonzero_indices)


@case("two cores: indexed flatten", "library")
def _(root):
    kernel = nki.jit(_module(root, "core.subkernels.indexed_flatten").indexed_flatten)
    x = RANDOM.integers(0, 1000, (4, 2048)).astype(np.int32)
    return kernel, exact(kernel[2](x, 128, 8192, np.array([0, 16, 32, 48], np.int32)), x.reshape(-1))

// SPDX-License-Identifier: Apache-2.0
// The attention kernel with random operands.
#include "sw/kernels/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/base/text.h"
#include "sw/kernels/catalogue/case_parts.h"
#include "sw/kernels/catalogue/kernels.h"
#include "sw/reference/kernels/attention.h"

namespace tern::kernels {

namespace {

using numerics::DType;

// Probabilities are rounded to BF16 before the product with V: each by at most 2^-9 of itself, so
// that a result moves by at most 2^-9 of the largest |v|, which is below 5. A BF16 result is
// rounded once more.
constexpr double kTolerance = 0.0098, kBf16 = 0.002;
// Of the queries: so the scores have this deviation, and their maxima differ between chunks.
constexpr double kDeviation = 2;

AttentionSpec spec_of(const Parameters& parameters, const ChipConfig& chip) {
  AttentionSpec spec;
  spec.queries = static_cast<std::uint64_t>(parameters.integer("seq", 1, 1 << 17));
  spec.keys = static_cast<std::uint64_t>(parameters.integer("keys", 0, 1 << 17));
  if (spec.keys == 0) spec.keys = spec.queries;
  spec.d = static_cast<std::uint32_t>(parameters.integer("d", 1, 128));
  spec.heads = static_cast<std::uint64_t>(parameters.integer("heads", 1, 1024));
  if (spec.heads * std::max(spec.queries, spec.keys) * spec.d > (1u << 26))
    parameters.fail("heads", "at most 2^26 elements of q, k or v");
  spec.causal = parameters.flag("causal");
  spec.chunk = static_cast<std::uint32_t>(parameters.integer("chunk", 1024, 3072));
  spec.output = parameters.choice("out", {"bf16", "fp32"}) == "bf16" ? DType::kBf16 : DType::kFp32;
  const std::string engine = parameters.choice("exp_engine", {"auto", "vector", "scalar"});
  // With the unit on Vector, Scalar finds the maxima by activate2.
  const bool has_unit =
      chip.core.vector.exp_per_cycle > 0 && chip.core.scalar_features.all_operators;
  if (engine == "vector" && !has_unit) {
    parameters.fail("exp_engine",
                    "scalar: this chip has no exponential instruction or no activate2");
  }
  const bool on_vector = engine == "vector" || (engine == "auto" && has_unit);
  spec.exp = on_vector ? AttentionExp::kVector : AttentionExp::kScalar;
  if (spec.causal && spec.keys < spec.queries) {
    parameters.fail("keys", "at least as many keys as queries, because causal is true");
  }
  return spec;
}

KernelCase make_attention(const Parameters& parameters, const ChipConfig& chip,
                          std::uint64_t seed) {
  const AttentionSpec spec = spec_of(parameters, chip);
  const std::size_t heads = spec.heads;
  const CaseOperand q =
      random_operand(heads * spec.d * spec.queries, DType::kBf16, seed, 0, 0, kDeviation);
  const CaseOperand k = random_operand(heads * spec.d * spec.keys, DType::kBf16, seed, 1);
  const CaseOperand v = random_operand(heads * spec.d * spec.keys, DType::kBf16, seed, 2);
  reference::Attention shape;
  shape.heads = heads;
  shape.queries = spec.queries;
  shape.keys = spec.keys;
  shape.d = spec.d;
  shape.causal = spec.causal;
  shape.scale = 1 / std::sqrt(static_cast<double>(spec.d));

  KernelCase result;
  result.description =
      fmt::format("{} attention, {}, {} quer{}, {}, d {}, exponentials on {}",
                  spec.causal ? "causal" : "full", base::counted(heads, "head"), spec.queries,
                  spec.queries == 1 ? "y" : "ies", base::counted(spec.keys, "key"), spec.d,
                  spec.exp == AttentionExp::kVector
                      ? fmt::format("Vector ({} per cycle)", chip.core.vector.exp_per_cycle)
                      : "Scalar");
  result.program = build_attention(spec, chip);
  result.inputs = {q.input("q"), k.input("k"), v.input("v")};
  result.outputs = {{"out",
                     spec.output,
                     {heads, spec.queries, spec.d},
                     reference::attention(q.values, k.values, v.values, shape),
                     kTolerance + (spec.output == DType::kBf16 ? kBf16 : 0)}};
  const AttentionCost cost = attention_cost(spec, chip);
  const bool on_vector = spec.exp == AttentionExp::kVector;
  result.cost = {
      tensor_cost(chip, cost.tensor, "keys + max(64, d) per 128 keys, per 128 queries"),
      vector_cost(chip, cost.vector,
                  on_vector
                      ? "keys / exp rate + 64 (exponentials) + keys / 2 (transposed) + 2 d + 192 "
                        "(correction), per chunk"
                      : "keys (maxima) + keys / 2 (transposed) + 2 d + 64 (correction), per chunk"),
      scalar_cost(chip, cost.scalar,
                  on_vector ? "keys + 64 (scores and their maxima), per chunk"
                            : "keys + 256 (exponentials, correction), per chunk"),
      dma_cost(chip, cost.bytes, "bytes of q, k, v, out")};
  return result;
}

}  // namespace

Kernel attention_kernel() {
  return {
      "attention",
      "softmax(q^T k / sqrt(d)) v with an online softmax: q, k [heads, d, seq], v [heads, seq, d]",
      {{"seq", "512", "queries"},
       {"keys", "0", "keys and values; 0: as many as queries"},
       {"d", "128", "head size"},
       {"heads", "1", "heads, or batches times heads"},
       {"causal", "false", "query i sees keys 0 .. i + keys - seq"},
       {"chunk", "2048",
        "keys between two corrections of the maximum, rounded up to 1,024s: 1024 to 3072"},
       {"out", "bf16", "format of the result: bf16 or fp32"},
       {"exp_engine", "auto",
        "vector (its exponential instruction), scalar, or what the chip has"}},
      make_attention};
}

}  // namespace tern::kernels

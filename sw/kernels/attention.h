// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "sw/config/chip_config.h"
#include "sw/numerics/dtype.h"
#include "sw/runtime/executable.h"

namespace tern::kernels {

class KernelBuilder;

// Which engine computes the exponentials. kVector: its exponential instruction, while the Scalar
// engine brings the scores out of PSUM and finds their maxima. kScalar: activation, directly from
// PSUM, while the Vector engine finds the maxima.
enum class AttentionExp { kVector, kScalar };

// out = softmax(scale * Q^T K) V for every head, with scale = 1 / sqrt(d). Tensors of the program,
// row major: inputs "q" [heads, d, queries], "k" [heads, d, keys], "v" [heads, keys, d] in BF16,
// output "out" [heads, queries, d] in BF16 or FP32. Batches are more heads. d is 1 .. 128.
// Causal: query i sees the keys 0 .. i + keys - queries, so the last query sees all; it needs
// keys >= queries. Scores must stay below 1e29 in magnitude.
struct AttentionSpec {
  std::uint64_t heads = 1, queries = 0, keys = 0;
  std::uint32_t d = 0;
  bool causal = false;
  AttentionExp exp = AttentionExp::kVector;
  // Keys between two corrections of the running maximum, rounded up to a multiple of 1,024,
  // at most 3,072; kScalar takes 1,024.
  std::uint32_t chunk = 2048;
  numerics::DType output = numerics::DType::kBf16;
};

// Other work in the same program: what `before` writes runs beside the attention, as far as it
// needs no engine.
struct AttentionBeside {
  std::function<void(KernelBuilder&)> before, after;
};
Executable build_attention(const AttentionSpec& spec, const ChipConfig& chip,
                           const AttentionBeside& beside = {});

// The minimum cycles that the walk takes on each engine: the sums of its instructions' intervals.
struct AttentionCost {
  double tensor = 0, vector = 0, scalar = 0;
  double bytes = 0;  // between HBM and SBUF
};
AttentionCost attention_cost(const AttentionSpec& spec, const ChipConfig& chip);

}  // namespace tern::kernels

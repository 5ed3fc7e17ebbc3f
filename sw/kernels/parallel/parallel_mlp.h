// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/kernels/builder/program/operations.h"
#include "sw/runtime/executable.h"

namespace tern::kernels {

// A feed-forward block whose hidden features are divided among cores, of one chip or of several:
// out = sum over parts of W2[part]^T f(W1[part]^T x), BF16 operands, FP32 result.
struct ParallelMlpSpec {
  static constexpr unsigned kMostParts = 64;
  std::uint32_t model = 0;   // features in and out: a multiple of 128
  std::uint32_t hidden = 0;  // features between: a multiple of 128 parts
  std::uint32_t tokens = 0;  // a multiple of 16, at most 512
  unsigned parts = 1;
  Activation function = Activation::kGelu;

  std::uint32_t hidden_of_part() const { return hidden / parts; }
};

// Program of a part. Tensors: "x" [model, tokens], "w1" [model, hidden of the part], "w2" [hidden
// of the part, model] bf16; "out" [model, tokens] fp32. joined: `out` is the sum, on every part;
// otherwise the part's own share, and it needs no others.
Executable build_parallel_mlp(const ParallelMlpSpec& spec, unsigned part, bool joined,
                              const ChipConfig& chip);

// The sum of shares, in FP32, in the order of the joined programs (docs/numerics.md).
std::vector<float> sum_of_shares(const ParallelMlpSpec& spec,
                                 const std::vector<std::vector<float>>& shares);

}  // namespace tern::kernels

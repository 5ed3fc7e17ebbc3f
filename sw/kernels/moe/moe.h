// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/builder/memory/views.h"
#include "sw/kernels/builder/program/operations.h"
#include "sw/runtime/executable.h"

// A mixture-of-experts layer as programs that run in sequence:
//
//   indexed:   gate (lists)  ->  experts
//   permuted:  gate (slots)  ->  permute  ->  experts  ->  unpermute
//
// The host reads the tokens of each expert (`counts`) after the gate and writes the next programs
// for them: no token is dropped, no expert is padded. The token numbers stay on the chip.
namespace tern::kernels {

struct MoeSpec {
  std::uint32_t tokens = 2048;  // multiples of 128, as width and hidden
  std::uint32_t width = 512, hidden = 1024;
  std::uint32_t experts = 8, top_k = 2;  // `top_k` at most 8
  Activation function = Activation::kGelu;

  // Partition p holds the tokens p * blocks() .. + blocks() - 1: one contiguous run. Block b is the
  // b-th of each partition.
  std::uint32_t blocks() const { return tokens / kPartitions; }
  std::uint32_t assignments() const { return tokens * top_k; }
  // Entries of an expert's list in HBM: whole tiles of 16 x 128, which DMA transposes.
  std::uint32_t list_entries() const { return (tokens + 2047) / 2048 * 2048; }
};

// How the experts find their tokens.
enum class MoeTokens : std::uint8_t { kIndexed, kPermuted };

// x [tokens, width] bf16, gate_weight [width, experts] bf16, gate_bias [1, experts] fp32
//   -> gates [tokens, experts] fp32: weight of the chosen experts, 0 for the others
//      chosen [tokens, top_k] fp32: their numbers, ascending
//      counts [1, experts] fp32: tokens of each expert
// indexed: lists [experts, list_entries] int32: each expert's tokens, ascending
// permuted: slots [tokens, top_k] int32: the row of each choice in the permuted matrix,
//           weights [tokens, top_k] fp32
Executable build_moe_gate(const MoeSpec& spec, MoeTokens tokens, const ChipConfig& chip);

// w1 [experts * width, hidden], w2 [experts * hidden, width] bf16, `counts` tokens for each expert:
// W2^T f(W1^T x) of its tokens.
// indexed: x, lists, gates -> out [tokens, width] fp32 = sum over the experts, ascending
// permuted: xp [tokens * top_k, width] bf16 -> y, the same rows in fp32, not yet weighted
Executable build_moe_experts(const MoeSpec& spec, MoeTokens tokens,
                             const std::vector<std::uint32_t>& counts, const ChipConfig& chip);

// x, slots -> xp; y, slots, weights -> out.
Executable build_moe_permute(const MoeSpec& spec, const ChipConfig& chip);
Executable build_moe_unpermute(const MoeSpec& spec, const ChipConfig& chip);

// Block b of a tensor [tokens, columns]: on partition p row p * blocks + b.
TensorView moe_block(const Tensor& tensor, const MoeSpec& spec, std::uint32_t block);

}  // namespace tern::kernels

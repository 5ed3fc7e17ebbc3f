// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/train/model.h"
#include "sw/train/share.h"

namespace tern::train {

// A decoder of characters: their vectors plus those of their positions, then blocks of causal
// attention and a gelu layer, each after a norm and parallel to a residual. A last norm and the
// logits of the next character follow.
struct TransformerSpec : OptimiserRules {
  // Characters of a part of a window, and of a whole one, which ranks divide.
  static constexpr std::uint32_t kMaxPart = 128, kMaxContext = 8192;
  static constexpr std::uint32_t kMaxExperts = 64;

  std::uint32_t alphabet = 0;  // characters
  std::uint32_t context = 0;   // characters of a window: a power of two
  std::uint32_t batch = 0;     // windows
  std::uint32_t width = 0, heads = 0, blocks = 0;
  std::uint32_t hidden = 0;  // of the gelu layer
  // Gelu layers that each character chooses from, in each block; 1: no choice. An expert has as
  // many slots of 128 characters as slots() says, `capacity` times its share or somewhat more. The
  // loss that is minimised has `balance` times experts * sum of (share of the characters * mean
  // probability) more, over experts, for each 128 characters.
  std::uint32_t experts = 1;
  float capacity = 1.25f, balance = 0.01f;
  Precision precision = Precision::kBf16;  // of operands: kBf16 or kFp32; all else is FP32

  std::uint32_t tokens() const { return batch * context; }
  std::uint32_t head() const { return width / heads; }
  std::uint32_t slots() const;  // 32, 64 or 128
  DType operand() const { return precision == Precision::kFp32 ? DType::kFp32 : DType::kBf16; }
};

// UserError "transformer: expected ..." if the settings are invalid.
void check(const TransformerSpec& spec);
// If the ranks do not divide its batch, its windows and its layers.
void check(const TransformerSpec& spec, const Share& share);

constexpr float kNormEpsilon = 1e-5f;

// Multiplications of the model's products in a step, whole batch, all attended to: those of the
// forward pass, and twice as many back.
std::uint64_t transformer_macs(const TransformerSpec& spec);

// "embedding" [alphabet + context, width]: of characters, then positions; of each block "b0.norm1",
// "b0.qkv", "b0.out", "b0.norm2", "b0.up", "b0.down"; "norm", "logits". With experts, in the place
// of "up" and "down" the layers "b0.router" and of each expert "b0.e0.up", "b0.e0.down". A norm has
// ".gain" and ".offset", a layer ".w" [in, out] and ".b".
std::vector<StateTensor> transformer_parameters(const TransformerSpec& spec);
// The first block of a stage of the pipeline; for stage == share.pipeline the number of blocks.
std::uint32_t first_block_of(const TransformerSpec& spec, const Share& share, unsigned stage);
// What the share's rank has of one of these, or of its moments: of another stage's and of another
// rank's expert no row. Of a
// layer whose results are divided ("qkv", "up") columns, those of whole heads; of one whose inputs
// are ("out", "down") rows of the weight; of all else everything.
TensorPart transformer_part(const StateTensor& whole, const TransformerSpec& spec,
                            const Share& share);

// A step, "x" the characters [micro-batches, tokens] (int32), "labels" those that follow; tokens:
// of a micro-batch, window by window what the rank has of each. The ranks' parts of the loss add
// up.
Executable build_transformer_step(const TransformerSpec& spec, const ChipConfig& chip,
                                  std::vector<Probe>* probes = nullptr, const Share& share = {});
// Output "losses" [tokens, 1]: of each character.
Executable build_transformer_evaluation(const TransformerSpec& spec, const ChipConfig& chip,
                                        const Share& share = {});
// One window: input "window" [1, context] (int32), output "logits" [context, alphabet]. Of a model
// or windows that ranks divide, the first group does it together, each with its part of the window.
// Of a pipeline, the first stage has inputs and the last one labels and outputs.
Executable build_transformer_prediction(const TransformerSpec& spec, const ChipConfig& chip,
                                        const Share& share = {});

// Throws UserError unless the ranks divide batch and model.
Model transformer_model(const TransformerSpec& spec, const Share& share = {});

}  // namespace tern::train

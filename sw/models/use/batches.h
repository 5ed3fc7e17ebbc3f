// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tern::use {

// 128 tokens that go through the encoder together: up to kSlots sentences side by side, each seeing
// its own tokens only.
struct Batch {
  static constexpr unsigned kTokens = 128, kSlots = 8;
  static constexpr float kNobody = -1;  // the slot of a token that pads the batch

  std::vector<std::int32_t> tokens = std::vector<std::int32_t>(kTokens, 0);
  std::vector<std::int32_t> positions = std::vector<std::int32_t>(kTokens, 0);  // in the sentence
  std::vector<float> slots = std::vector<float>(kTokens, kNobody);
  std::vector<std::size_t> sentences;  // of each slot
  unsigned used = 0;                   // tokens
};

// Assigns sentences of 1 .. 128 tokens to batches: each to the first that has room.
std::vector<Batch> make_batches(const std::vector<std::vector<std::uint32_t>>& sentences);

}  // namespace tern::use

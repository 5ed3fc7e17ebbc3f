// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/train/batches.h"
#include "sw/train/mlp_training.h"

namespace tern::app {

// A small training whose bits are known: 32-32-8 on random points, batch 128, BF16, SGD.
// tb/check compares it with a trainer in FP64, and with the RTL.
struct GoldenTraining {
  static constexpr unsigned kSteps = 8;
  static constexpr double kRate = 0.05;

  static train::MlpSpec spec();
  static train::Batch batch(unsigned step);  // from 0
  // "x" of a batch before it is rounded to the format.
  static std::vector<float> points(unsigned step);
  static std::vector<float> hyper(unsigned step);
};

// What a core must arrive at, bit for bit.
struct GoldenBits {
  std::array<std::uint32_t, GoldenTraining::kSteps> losses{};  // FP32
  std::uint32_t state_crc32 = 0;  // of all tensors of the state, in their order
  bool operator==(const GoldenBits& other) const {
    return losses == other.losses && state_crc32 == other.state_crc32;
  }
};
// As recorded: the same on every chip.
const GoldenBits& golden_bits();

// The first difference in words; none: equal.
std::optional<std::string> golden_difference(const GoldenBits& is, const GoldenBits& expected);

}  // namespace tern::app

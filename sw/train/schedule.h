// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern::train {

// The learning rate of every step: rising linearly to its maximum over `warmup` steps, then
// constant, or falling to `end` times that value along a line or half a cosine.
struct Schedule {
  enum class Kind : std::uint8_t { kConstant, kLinear, kCosine };
  Kind kind = Kind::kConstant;
  double rate = 0.1;
  std::uint64_t warmup = 0;
  double end = 0;

  // Steps from 0, of `steps` in total.
  double at(std::uint64_t step, std::uint64_t steps) const;
};

}  // namespace tern::train

// SPDX-License-Identifier: Apache-2.0
#include "sw/train/schedule.h"

#include <cmath>

namespace tern::train {

double Schedule::at(std::uint64_t step, std::uint64_t steps) const {
  if (step < warmup) return rate * static_cast<double>(step + 1) / static_cast<double>(warmup + 1);
  if (kind == Kind::kConstant || steps <= warmup) return rate;
  const double done = static_cast<double>(step - warmup) / static_cast<double>(steps - warmup);
  constexpr double kPi = 3.14159265358979323846;
  const double left = kind == Kind::kLinear ? 1 - done : (1 + std::cos(kPi * done)) / 2;
  return rate * (end + (1 - end) * left);
}

}  // namespace tern::train

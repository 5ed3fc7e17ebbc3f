// SPDX-License-Identifier: Apache-2.0
#include "systemc/link/error_gap.h"

#include <cmath>

namespace tern::link {

std::uint64_t next_random(std::uint64_t* state) {
  std::uint64_t z = *state += 0x9e3779b97f4a7c15ULL;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  return z ^ z >> 31;
}

// Geometric.
std::uint64_t error_gap(std::uint64_t* state, double probability) {
  constexpr std::uint64_t kFar = std::uint64_t{1} << 62;
  if (probability <= 0) return kFar;
  const double uniform = static_cast<double>((next_random(state) >> 11) + 1) * 0x1p-53;  // (0, 1]
  const double units = std::log(uniform) / std::log1p(-probability);
  return units < static_cast<double>(kFar) ? static_cast<std::uint64_t>(units) : kFar;
}

}  // namespace tern::link

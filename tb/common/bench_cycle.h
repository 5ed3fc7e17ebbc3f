// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace tern::tb {

inline constexpr std::uint64_t kNoCycle = std::numeric_limits<std::uint64_t>::max();

// The cycle in progress of the Verilated block under test, as its waveform counts (kNoCycle: none
// had a clock yet). Of several blocks the one that is recorded, else the last that had a clock.
inline std::uint64_t* bench_cycle() {
  static std::uint64_t cycle = kNoCycle;
  return &cycle;
}

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace tern::tb {

inline constexpr std::uint64_t kNoWave = std::numeric_limits<std::uint64_t>::max();

// The cycle in progress of the block whose waveform is recorded (kNoWave: none was).
inline std::uint64_t* wave_cycle() {
  static std::uint64_t cycle = kNoWave;
  return &cycle;
}

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace tern {

// What to record of a Verilated block. One cycle of the block is one nanosecond in the file,
// whatever its clock. So the time in the viewer is the cycle number, counted from the block's first
// work, as are the limits here. Cycles in which the block's clock is stopped are missing.
struct WaveOptions {
  std::string file;      // FST; written to FILE.partial and renamed when complete; empty: no wave
  std::string scope;     // hierarchy below the block's top, such as "u_ctrl"; empty: everything
  unsigned levels = 99;  // of hierarchy below the scope
  std::uint64_t from_cycle = 0;
  std::uint64_t to_cycle = std::numeric_limits<std::uint64_t>::max();
  // Of a block that an exception ends: its clock continues for so many cycles, its inputs stay.
  unsigned cycles_after_failure = 16;
  // Is kept at the cycle in progress, as a file counts, up to the failure; null: no one asks.
  std::uint64_t* cycle_now = nullptr;
};

}  // namespace tern

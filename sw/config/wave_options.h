// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

namespace tern {

// The simulated time of a block whose waveform is part of a chip's. Of any thread, but the block's
// user's only one at a time.
class WaveTime {
 public:
  virtual ~WaveTime() = default;
  // Picoseconds of half a cycle (0 or 1) of the block.
  virtual std::uint64_t at(std::uint64_t cycle, unsigned half) = 0;
  virtual bool records(std::uint64_t ps) const = 0;
  // Only so much before the last one is of interest; 0: everything is.
  virtual std::uint64_t keeps() const = 0;
};

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
  // Of a chip's block: the file is a part of the chip's, FILE.0 and FILE.1 in turn if only the end
  // is kept, and its times and limits are these. Null: as above.
  std::shared_ptr<WaveTime> time;
};

// What the Verilated block at a place of the chip records ("core0.tensor"); empty: nothing.
using WaveOfBlock = std::function<WaveOptions(const std::string& place)>;

// What to record of a chip. Cycles are those of the tensor engine's clock, counted from `trigger`,
// or without one from the moment at which the first queue starts.
struct ChipWaveOptions {
  std::string file;      // FST; empty: none
  std::string scope;     // such as "core0.tensor.u_ctrl" or "core0.queues"; empty: everything
  unsigned levels = 99;  // of hierarchy below the scope, in a Verilated block
  std::uint64_t from_cycle = 0;
  std::uint64_t to_cycle = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last_cycles = 0;  // only the last of them, before the end or an error; 0: all
  // "SIGNAL VALUE", such as "core0.vector instruction 812": when the signal gets that value.
  std::string trigger;
};

}  // namespace tern

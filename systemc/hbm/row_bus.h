// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "sw/base/state_archive.h"
#include "systemc/hbm/timing.h"

namespace tern::hbm {

// Which clocks of a pseudo-channel's row command bus are taken, over a window that moves with time.
class RowBus {
 public:
  // No query will be earlier than `now`.
  void move_to(Tick now) {
    if (now < base_ + 64) return;
    if (now - base_ >= kWindow) {
      taken_.fill(0);
      base_ = now / 64 * 64;
      return;
    }
    for (; base_ + 64 <= now; base_ += 64) taken_[word(base_)] = 0;
  }
  // Takes the first `clocks` (1 or 2) consecutive free clocks from a moment on.
  Tick take(Tick from, unsigned clocks) {
    for (Tick t = from < base_ ? base_ : from;; ++t) {
      if (taken(t) || (clocks == 2 && taken(t + 1))) continue;
      mark(t);
      if (clocks == 2) mark(t + 1);
      return t;
    }
  }

  // For a snapshot; most: its window does not begin later.
  void archive_state(base::StateArchive& archive, Tick most) {
    archive.each(taken_);
    archive.number(base_, Tick{0}, most);
  }

 private:
  static constexpr unsigned kWords = 64;
  static constexpr Tick kWindow = Tick{kWords} * 64;

  static std::size_t word(Tick t) { return static_cast<std::size_t>(t / 64) % kWords; }
  // Beyond the window nothing is known to be taken; commands are far closer (timing.h, check()).
  bool taken(Tick t) const { return t - base_ < kWindow && (taken_[word(t)] >> (t % 64) & 1); }
  void mark(Tick t) {
    if (t - base_ < kWindow) taken_[word(t)] |= std::uint64_t{1} << (t % 64);
  }

  std::array<std::uint64_t, kWords> taken_{};
  Tick base_ = 0;
};

}  // namespace tern::hbm

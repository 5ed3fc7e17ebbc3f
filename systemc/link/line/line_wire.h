// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "systemc/link/flit/data_link.h"

namespace tern::link {

// One direction of a port's wire: it delays flits by some cycles, and spoils a few beyond what
// error correction mends.
class LineWire {
 public:
  struct Flit {
    std::uint64_t arrives = 0;
    flit::LaneWords lanes{};
  };

  LineWire(unsigned delay, std::uint64_t seed) : delay_(delay), random_(seed) {}

  // Of a flit, from the next one on.
  void set_loss(double probability);
  // True: it is spoiled.
  bool put(std::uint64_t cycle, const flit::LaneWords& lanes);
  // What arrives in this cycle; null: nothing. Valid until the next call.
  const flit::LaneWords* take(std::uint64_t cycle);
  void clear() { flits_.clear(); }
  void set_delay(unsigned cycles) { delay_ = cycles; }

 private:
  unsigned delay_;
  std::uint64_t random_;
  double loss_ = 0;
  std::uint64_t to_loss_ = UINT64_MAX;  // good flits before the next spoiled one
  std::deque<Flit> flits_;
  Flit taken_;
};

}  // namespace tern::link

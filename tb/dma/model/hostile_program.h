// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "tb/dma/model/unit_bench.h"

namespace tern::tb {

// Software that makes every error on some rings of an engine, and none on the others. Errors are
// changed descriptors, in memory or made by hardware, stale ones, doorbells for more than the ring
// holds, misaligned bases, aborts and restarts at any time. Its actions depend on the seed and on
// the engine's registers.
class HostileProgram {
 public:
  HostileProgram(std::uint64_t seed, UnitBench& bench);

  // Until all is released, aborted or stopped and nothing is in flight.
  void run();

  struct Ring {
    bool good = false;
    bool pushed = false;                                // its pairs are made by hardware
    std::uint32_t size = 0, written = 0, released = 0;  // since it was set up
    std::deque<UnitBench::Words> todo;
  };
  const std::vector<Ring>& rings() const { return rings_; }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  void fill(Ring& ring);
  void set_up(unsigned ring);
  void feed(unsigned ring);
  void harm(unsigned ring);
  std::uint32_t peek(unsigned ring, std::uint32_t offset) {
    return bench_.ring_register(ring, offset);
  }
  void poke(unsigned ring, std::uint32_t offset, std::uint32_t value) {
    bench_.poke(ring * TERN_REG_DMA_RING_SIZE_STRIDE + offset, value);
  }

  UnitBench& bench_;
  std::mt19937_64 random_;
  std::vector<Ring> rings_;
};

}  // namespace tern::tb

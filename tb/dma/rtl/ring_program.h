// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <utility>
#include <vector>

#include "tb/dma/model/unit_bench.h"

namespace tern::tb {

// Random packets of every kind in rings of a DMA engine, fed while it runs, and the bytes that
// rtl/dma/README.md promises. These are computed here, in loops over bytes and elements, with
// values whose arithmetic is exact. Sources and destinations of all packets are disjoint.
class RingProgram {
 public:
  struct Shape {
    unsigned rings = 4;
    unsigned packets = 20;    // of a ring
    unsigned longest = 3000;  // bytes of a buffer, mostly
    bool barriers = true;
    bool small_rings = false;  // they wrap
  };
  RingProgram(std::uint64_t seed, const Shape& shape, UnitBench& bench);

  // Releases pairs at random times until all are released, then runs until nothing is in flight.
  void run();
  // The bytes that are not as they should be, with the packet that writes them.
  MismatchLog differences() const;
  void spoil() { expected_.front().bytes.front() ^= 1; }  // a difference on purpose
  unsigned rings() const { return static_cast<unsigned>(todo_.size()); }
  std::uint32_t pairs(unsigned ring) const { return pairs_[ring]; }
  // Sources and destinations of a ring are in separate regions.
  static std::uint64_t source_base(unsigned ring) { return 0x1'0000'0000ull * (1 + ring); }
  static std::uint64_t target_base(unsigned ring) { return 0x100'0000'0000ull + source_base(ring); }

 private:
  using Words = UnitBench::Words;
  struct Expected {
    std::uint64_t address;
    std::vector<std::uint8_t> bytes;
    unsigned ring = 0;
    Words pair = {};  // the first one of its packet
  };
  struct Pattern {
    std::uint32_t length = 0;
    std::uint32_t count[4] = {1, 1, 1, 1};
    std::int32_t stride[4] = {0, 0, 0, 0};
  };

  unsigned pick(unsigned low, unsigned high) {
    return std::uniform_int_distribution<unsigned>(low, high)(random_);
  }
  bool chance(unsigned percent) { return pick(1, 100) <= percent; }
  std::uint64_t take(std::uint64_t& at, std::uint64_t bytes, unsigned align);
  std::vector<std::uint8_t> random_bytes(std::size_t bytes);
  std::vector<std::uint8_t> random_floats(std::size_t elements, unsigned dtype,
                                          std::vector<int>& values);
  void add(unsigned ring, Words words) { todo_[ring].push_back(words); }

  void copy(unsigned ring);
  void pattern_copy(unsigned ring);
  void accumulate(unsigned ring);
  void operation(unsigned ring);
  void transpose(unsigned ring);
  void immediate(unsigned ring);
  Pattern lay_out(std::uint32_t length, const std::vector<std::uint32_t>& counts, unsigned align,
                  std::uint64_t& span, std::uint64_t& begin);
  void add_with_slots(unsigned ring, Words head, unsigned ext, const Pattern& tx,
                      const Pattern& rx);

  Shape shape_;
  UnitBench& bench_;
  std::mt19937_64 random_;
  std::vector<std::deque<Words>> todo_;
  std::vector<std::uint32_t> pairs_, sizes_;
  std::vector<std::uint64_t> source_, target_;
  std::vector<Expected> expected_;
};

}  // namespace tern::tb

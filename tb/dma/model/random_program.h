// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "tb/dma/model/unit_bench.h"

namespace tern::tb {

// Random transfers, and what they mean: written from rtl/dma/README.md, without the engine's code
// except for the arithmetic of its operations, which has separate tests. Sources are never written
// and every packet has its own destination, so that order does not matter.
class RandomProgram {
 public:
  static constexpr std::uint64_t kSources = 0x100000, kSourceBytes = 1 << 18;
  static constexpr std::uint64_t kDestinations = 0x4000'0000;

  RandomProgram(std::uint64_t seed, UnitBench& bench);

  // A packet of a random kind at the end of the ring; the number of its pairs. at_most: pairs.
  unsigned add(unsigned ring, unsigned at_most = 64);
  // The same, spoiled somewhere.
  unsigned add_spoiled(unsigned ring);

  // Whether memory is what all packets added so far make of it.
  bool good();
  // CRC that ring_crc must have; 0: none yet.
  std::uint32_t crc(unsigned ring) const { return crc_[ring]; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t number(std::uint64_t below) { return random_() % below; }

 private:
  struct Side {
    std::uint64_t address = 0;
    std::uint32_t length = 0;
    std::vector<std::uint32_t> counts;  // from the inside
    std::vector<std::int64_t> strides;
  };
  using Pairs = std::vector<UnitBench::Words>;

  Pairs copy(unsigned ring, unsigned at_most);
  Pairs pattern(unsigned at_most);
  Pairs operation();
  Pairs transpose();
  Pairs immediate();
  void append(Pairs& pairs, const Side& tx, const Side& rx, std::uint32_t rx_word, bool first);
  static void set_side(std::uint32_t* words, const Side& side);
  std::vector<std::uint8_t> gather(const std::vector<Side>& sides);
  void scatter(const std::vector<Side>& sides, const std::vector<std::uint8_t>& bytes);
  static void runs(const Side& side, std::vector<std::uint64_t>& addresses);
  std::vector<std::uint32_t> split(std::uint32_t total, unsigned parts);
  std::uint64_t source(std::uint64_t bytes, unsigned alignment = 1);
  std::uint64_t place(std::uint64_t bytes, unsigned alignment = 1);
  unsigned put(unsigned ring, Pairs& pairs);

  std::mt19937_64 random_;
  UnitBench& bench_;
  std::vector<std::uint8_t> sources_;
  std::vector<std::pair<std::uint64_t, std::vector<std::uint8_t>>> expected_;
  std::uint64_t next_place_ = kDestinations;
  std::uint64_t bytes_ = 0;
  std::uint32_t crc_[16] = {};
};

}  // namespace tern::tb

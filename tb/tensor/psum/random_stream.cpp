// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/psum/random_stream.h"

#include <algorithm>

namespace tern::tb {

Stream RandomStreams::any() {
  const unsigned kind = below(16);
  if (kind == 0) return quad();
  if (kind <= 2) return stream(kRawPort, 0xF);
  constexpr std::array<unsigned, 7> kTiles = {0x1, 0x2, 0x4, 0x8, 0x3, 0xC, 0xF};
  return stream(below(4), kTiles[below(kTiles.size())]);
}

Stream RandomStreams::stream(unsigned port, unsigned groups) {
  Stream stream;
  Destination& d = stream.destination;
  stream.port = port;
  stream.groups = groups;
  stream.wait = 1 + below(4);
  const auto width = static_cast<unsigned>(__builtin_popcount(groups));
  d.tag = static_cast<std::uint8_t>(below(256));
  d.first = static_cast<unsigned>(__builtin_ctz(groups)) * kGroupLanes;
  d.lanes = 1 + below(width * kGroupLanes);
  d.half = below(2) == 0;
  d.raw = port == kRawPort;
  d.accumulate = !d.raw && below(2) == 0;
  d.stochastic = !d.raw && d.half && below(3) == 0;
  place(stream, kBanks);
  return stream;
}

Stream RandomStreams::quad() {
  Stream result = stream(0, 0xF);
  result.destination.quad = true;
  place(result, kBanks / 4);
  return result;
}

void RandomStreams::place(Stream& stream, unsigned banks) {
  Destination& d = stream.destination;
  const unsigned words = banks * kBankColumns;
  if (below(4) == 0) near_ = below(kBanks * kBankColumns);
  const unsigned elements = d.half ? 2 : 1;
  const unsigned in_bank = kBankColumns * elements;
  const unsigned start = std::min(words * elements - 1, near_ % words * elements + below(4));
  const unsigned most = std::min(words * elements - start, below(8) == 0 ? 40U : 6U);
  d.bank = start / in_bank;
  d.column = start % in_bank;
  fill(stream, 1 + below(most));
}

void RandomStreams::fill(Stream& stream, unsigned count) {
  stream.destination.count = count;
  stream.columns.assign(count, {});
  for (auto& rows : stream.columns) {
    for (Row& row : rows) {
      for (std::uint32_t& word : row) {
        word = stream.destination.raw ? static_cast<std::uint32_t>(random_()) : value();
        if (stream.destination.raw && stream.destination.half) word &= 0xFFFF;
      }
    }
  }
}

// Mostly numbers near one, so that sums cancel and round; some of all exponents; some specials.
std::uint32_t RandomStreams::value() {
  constexpr std::array<std::uint32_t, 12> kSpecials = {
      0x00000000, 0x80000000, 0x00000001, 0x807FFFFF, 0x00800000, 0x7F7FFFFF,
      0xFF7F8000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFA00001, 0x3F808000};
  const auto bits = static_cast<std::uint32_t>(random_());
  const unsigned kind = below(16);
  if (kind == 0) return kSpecials[below(kSpecials.size())];
  if (kind <= 2) return bits;
  const std::uint32_t near_one = (bits & 0x807FFFFF) | (124 + below(6)) << 23;
  return kind < 8 ? near_one & 0xFFFF8000 : near_one;
}

Access RandomStreams::access() {
  Access access;
  access.write = below(2) == 0;
  access.bank = below(8) == 0 ? kBanks : (near_ / kBankColumns + below(3)) % kBanks;
  access.column = access.bank == kBanks ? below(6) : (near_ + below(4)) % kBankColumns;
  access.start = below(kLanes);
  access.count = 1 + below(kLanes - access.start);
  for (std::uint32_t& word : access.data) {
    word = access.bank == kBanks ? static_cast<std::uint32_t>(random_()) : value();
  }
  return access;
}

}  // namespace tern::tb

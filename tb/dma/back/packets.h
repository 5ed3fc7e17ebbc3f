// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tb/dma/back/back_driver.h"

namespace tern::tb {

// A side of a pair: a run and its pattern.
struct Buffer {
  std::uint64_t address = 0;
  unsigned length = 0;  // 1 .. 65536
  std::vector<unsigned> counts = {};
  std::vector<std::int64_t> strides = {};
};

// A pair with the slots that its patterns need.
inline void append_pair(Packet& packet, const Buffer& tx, const Buffer& rx, unsigned write_op = 0,
                        std::uint32_t tx_word = 0, bool barrier = false) {
  Pair pair;
  const auto most = std::max(tx.counts.size(), rx.counts.size());
  const auto ext = static_cast<unsigned>((most + 1) / 2);
  pair.tx[0] = (tx.length & 0xFFFF) | (barrier ? 1U << 30 : 0);
  pair.tx[1] = tx_word;
  pair.tx[2] = static_cast<std::uint32_t>(tx.address);
  pair.tx[3] = static_cast<std::uint32_t>(tx.address >> 32);
  pair.rx[0] = rx.length & 0xFFFF;
  pair.rx[1] = (ext << 16) | (write_op << 20);
  pair.rx[2] = static_cast<std::uint32_t>(rx.address);
  pair.rx[3] = static_cast<std::uint32_t>(rx.address >> 32);
  packet.pairs.push_back(pair);
  for (unsigned slot = 0; slot < ext; ++slot) {
    Pair extra;
    const auto fill = [slot](const Buffer& buffer, std::uint32_t* words) {
      words[1] = 0x00010001;
      for (unsigned d = 0; d < 2; ++d) {
        const unsigned dim = 2 * slot + d;
        if (dim >= buffer.counts.size()) break;
        words[1] = (words[1] & ~(0xFFFFU << (16 * d))) | (buffer.counts[dim] << (16 * d));
        words[2 + d] = static_cast<std::uint32_t>(buffer.strides[dim]);
      }
    };
    fill(tx, extra.tx);
    fill(rx, extra.rx);
    packet.pairs.push_back(extra);
  }
}

// The addresses of a buffer's runs, in order.
inline std::vector<std::uint64_t> runs_of(const Buffer& buffer) {
  std::vector<std::uint64_t> runs = {buffer.address};
  for (std::size_t d = 0; d < buffer.counts.size(); ++d) {
    const std::vector<std::uint64_t> below = runs;
    for (unsigned i = 1; i < buffer.counts[d]; ++i) {
      for (std::uint64_t run : below) {
        runs.push_back(run + static_cast<std::uint64_t>(buffer.strides[d]) * i);
      }
    }
  }
  return runs;
}

// Whether a packet has a destination there: the pairs read back.
inline bool writes_to(const Packet& packet, std::uint64_t address) {
  for (std::size_t i = 0; i < packet.pairs.size();) {
    const std::uint32_t* rx = packet.pairs[i].rx;
    const unsigned ext = rx[1] >> 16 & 3, length = rx[0] & 0xFFFF;
    Buffer buffer{rx[2] | std::uint64_t{rx[3]} << 32, length == 0 ? 0x10000 : length};
    for (unsigned slot = 1; slot <= ext && i + slot < packet.pairs.size(); ++slot) {
      const std::uint32_t* words = packet.pairs[i + slot].rx;
      for (unsigned d = 0; d < 2; ++d) {
        buffer.counts.push_back(words[1] >> (16 * d) & 0xFFFF);
        buffer.strides.push_back(static_cast<std::int32_t>(words[2 + d]));
      }
    }
    for (const std::uint64_t run : runs_of(buffer)) {
      if (address >= run && address < run + buffer.length) return true;
    }
    i += 1 + ext;
  }
  return false;
}

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
#include "tb/dge/interpret.h"

#include <catch2/catch.hpp>
#include <cstring>

namespace tern::tb {

namespace {

struct Words {
  std::uint32_t w0, w1, w2, w3;
  explicit Words(const std::uint8_t* at) {
    std::memcpy(&w0, at, 4);
    std::memcpy(&w1, at + 4, 4);
    std::memcpy(&w2, at + 8, 4);
    std::memcpy(&w3, at + 12, 4);
  }
  std::uint32_t length() const { return (w0 & 0xFFFF) == 0 ? 65536 : w0 & 0xFFFF; }
  unsigned ring_id() const { return w0 >> 24 & 3; }
  bool first() const { return (w0 >> 26 & 1) != 0; }
  bool last() const { return (w0 >> 27 & 1) != 0; }
  std::uint64_t address() const { return std::uint64_t{w3} << 32 | w2; }
};

// Addresses of the bytes of a side, in order.
std::vector<std::uint64_t> bytes_of(const Words& head, const std::vector<Words>& slots) {
  std::vector<std::uint64_t> starts{head.address()};
  const auto repeat = [&](unsigned count, std::int32_t stride) {
    REQUIRE(count != 0);
    std::vector<std::uint64_t> all;
    for (unsigned i = 0; i < count; ++i) {
      for (const std::uint64_t start : starts) {
        all.push_back(start + static_cast<std::uint64_t>(std::int64_t{stride} * i));
      }
    }
    starts = all;
  };
  for (const Words& slot : slots) {
    REQUIRE((slot.w0 & ~0x0B000000u) == 0);  // ring_id and last only
    repeat(slot.w1 & 0xFFFF, static_cast<std::int32_t>(slot.w2));
    repeat(slot.w1 >> 16, static_cast<std::int32_t>(slot.w3));
  }
  std::vector<std::uint64_t> bytes;
  for (const std::uint64_t start : starts) {
    for (std::uint32_t i = 0; i < head.length(); ++i) bytes.push_back(start + i);
  }
  return bytes;
}

// Rows of 64 bytes in blocks of 32 x 32 two-byte elements.
std::vector<std::uint64_t> transposed(const std::vector<std::uint64_t>& bytes) {
  std::vector<std::uint64_t> result(bytes.size());
  REQUIRE(bytes.size() % 2048 == 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t block = i / 2048, row = i % 2048 / 64, column = i % 64 / 2;
    result[block * 2048 + column * 64 + row * 2 + i % 2] = bytes[i];
  }
  return result;
}

}  // namespace

void interpret(const std::vector<PairBytes>& pairs, unsigned ring_size, Moved* moved) {
  bool inside = false;
  unsigned in_packet = 0;
  std::uint64_t packet_bytes = 0;
  for (std::size_t i = 0; i < pairs.size();) {
    const Words tx(pairs[i].data()), rx(pairs[i].data() + 16);
    REQUIRE((tx.w0 & 0xB0FF0000u) == 0);
    REQUIRE((rx.w0 & 0xF0FF0000u) == 0);
    REQUIRE(tx.first() == !inside);
    REQUIRE(rx.first() == !inside);
    const unsigned op = rx.w1 & 15, ext = rx.w1 >> 16 & 3;
    REQUIRE(i + ext < pairs.size());
    std::vector<Words> tx_slots, rx_slots;
    for (unsigned s = 1; s <= ext; ++s) {
      tx_slots.emplace_back(pairs[i + s].data());
      rx_slots.emplace_back(pairs[i + s].data() + 16);
    }
    if (ring_size != 0) {
      for (unsigned s = 0; s <= ext; ++s) {
        const unsigned phase = (1 + (i + s) / ring_size) % 4;
        REQUIRE(Words(pairs[i + s].data()).ring_id() == phase);
        REQUIRE(Words(pairs[i + s].data() + 16).ring_id() == phase);
      }
    }
    if (op == 7) {
      REQUIRE((tx.length() == 4 && rx.length() == 4 && tx.first() && tx.last() && rx.last()));
      REQUIRE(tx.address() == 1);
      moved->immediates.push_back(rx.address());
    } else if (op >= 1 && op <= 5) {
      // One pair per source up to `last`; the first one has the destination.
      const unsigned size = (rx.w1 >> 4 & 15) == 0 ? 4 : 2, to = (rx.w1 >> 8 & 15) == 0 ? 4 : 2;
      Computed of{op, rx.w1 >> 4 & 15, rx.w1 >> 8 & 15, rx.w1 >> 20 & 3, rx.address(), 0, {}, {}};
      of.elements = rx.length() / to;
      REQUIRE((ext == 0 && of.dst % 64 == 0 && rx.length() == of.elements * to));
      for (bool more = true; more; ++i) {
        REQUIRE(i < pairs.size());
        const Words source(pairs[i].data()), side(pairs[i].data() + 16);
        REQUIRE((source.address() % 64 == 0 && source.length() == of.elements * size));
        REQUIRE(source.first() == of.sources.empty());
        REQUIRE(source.last() == side.last());
        if (!of.sources.empty()) {
          REQUIRE(((side.w0 & 0xFFFF) == 0 && side.w1 == 0 && side.address() == 0));
        }
        of.sources.push_back(source.address());
        of.scales.push_back(source.w1);
        more = !source.last();
      }
      REQUIRE((of.sources.size() <= 16 && (op != 1 || of.sources.size() == 1)));
      moved->computed.push_back(of);
      moved->packets += 1;
      continue;
    } else {
      const std::vector<std::uint64_t> from = bytes_of(tx, tx_slots);
      std::vector<std::uint64_t> to = bytes_of(rx, rx_slots);
      REQUIRE(from.size() == to.size());
      REQUIRE(from.size() <= 65536);
      if (op == 6) to = transposed(to);
      for (std::size_t b = 0; b < from.size(); ++b) {
        if (!moved->source_of.emplace(to[b], from[b]).second) FAIL("a byte is written twice");
      }
      packet_bytes += from.size();
      moved->bytes_of_write_op[rx.w1 >> 20 & 3] += from.size();
    }
    const Words last_tx(pairs[i + ext].data()), last_rx(pairs[i + ext].data() + 16);
    for (unsigned s = 0; s < ext; ++s) REQUIRE_FALSE(Words(pairs[i + s].data()).last());
    REQUIRE(last_tx.last() == last_rx.last());
    in_packet += 1 + ext;
    REQUIRE(in_packet <= 64);
    inside = !last_tx.last();
    if (!inside) {
      moved->packets += 1;
      moved->largest_packet = std::max(moved->largest_packet, packet_bytes);
      in_packet = 0;
      packet_bytes = 0;
    }
    i += 1 + ext;
  }
  REQUIRE_FALSE(inside);
}

}  // namespace tern::tb

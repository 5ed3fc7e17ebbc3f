// SPDX-License-Identifier: Apache-2.0
// Flits as rtl/link/README.md describes them: written from the page, bit by bit.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <vector>

#include "systemc/link/flit/data_link.h"

namespace tern::tb {

struct RefFlit {
  std::vector<std::uint32_t> tlp = std::vector<std::uint32_t>(59);
  unsigned usage = 1, prior = 0, command = 1, number = 1023;
  unsigned type = 0x80, heads = 0, data = 0;
  unsigned zeros = 0;  // the bits that have to be
  bool crc_fits = true;
};

inline std::uint64_t ref_crc(const std::vector<std::uint8_t>& bytes) {
  std::vector<bool> bits;  // from the highest coefficient on
  for (std::size_t word = 0; word < 31; ++word) {
    for (std::size_t bit = 64; bit-- > 0;) {
      const std::size_t at = 8 * word + bit / 8;
      bits.push_back(at < 242 && (bytes[at] >> bit % 8 & 1) != 0);
    }
  }
  for (std::size_t i = 0; i < 64; ++i) bits[i] = !bits[i];
  std::uint64_t rest = 0;
  for (const bool bit : bits) {
    const bool top = (rest >> 63 != 0) != bit;
    rest <<= 1;
    if (top) rest ^= 0x42F0E1EBA9EA3693;
  }
  return ~rest;
}

inline std::uint64_t ref_bits(const std::vector<std::uint8_t>& bytes, unsigned lsb,
                              unsigned width) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i) {
    value |= std::uint64_t{bytes[(lsb + i) / 8] >> (lsb + i) % 8 & 1u} << i;
  }
  return value;
}

// Bytes of a flit, lane by lane.
inline std::vector<std::uint8_t> ref_bytes(const flit::LaneWords& lanes,
                                           const flit::LaneMask& dead = {}) {
  std::vector<unsigned> good;
  for (unsigned p = 0; p < 80; ++p) {
    if (!dead[p]) good.push_back(p);
  }
  std::vector<std::uint8_t> bytes(256);
  for (unsigned i = 0; i < 256; ++i) {
    bytes[i] = static_cast<std::uint8_t>(lanes[good[i % 64]] >> 8 * (i / 64));
  }
  return bytes;
}

inline RefFlit ref_flit(const flit::LaneWords& lanes, const flit::LaneMask& dead = {}) {
  const std::vector<std::uint8_t> bytes = ref_bytes(lanes, dead);
  const auto field = [&](unsigned lsb, unsigned width) {
    return static_cast<unsigned>(ref_bits(bytes, 236 * 8 + lsb, width));
  };
  RefFlit flit;
  for (unsigned i = 0; i < 59; ++i) {
    flit.tlp[i] = static_cast<std::uint32_t>(ref_bits(bytes, 32 * i, 32));
  }
  flit.usage = field(0, 2);
  flit.prior = field(2, 1);
  flit.command = field(3, 2);
  flit.number = field(5, 10);
  flit.type = field(16, 8);
  flit.heads = field(24, 8);
  flit.data = field(32, 12);
  flit.zeros = field(15, 1) | field(44, 4) << 1;
  for (unsigned i = 250; i < 256; ++i) flit.zeros |= bytes[i];
  flit.crc_fits = ref_crc(bytes) == ref_bits(bytes, 242 * 8, 64);
  return flit;
}

// On the first 64 lanes.
inline flit::LaneWords ref_lanes(const RefFlit& flit) {
  std::vector<std::uint8_t> bytes(256);
  const auto put = [&](unsigned lsb, unsigned width, std::uint64_t value) {
    for (unsigned i = 0; i < width; ++i) {
      if ((value >> i & 1) != 0) {
        bytes[(lsb + i) / 8] =
            static_cast<std::uint8_t>(bytes[(lsb + i) / 8] | 1u << (lsb + i) % 8);
      }
    }
  };
  for (unsigned i = 0; i < 59; ++i) put(32 * i, 32, flit.tlp[i]);
  put(1888, 2, flit.usage);
  put(1890, 1, flit.prior);
  put(1891, 2, flit.command);
  put(1893, 10, flit.number);
  put(1904, 8, flit.type);
  put(1912, 8, flit.heads);
  put(1920, 12, flit.data);
  put(1936, 64, flit.crc_fits ? ref_crc(bytes) : ~ref_crc(bytes));
  flit::LaneWords lanes{};
  for (unsigned i = 0; i < 256; ++i) lanes[i % 64] |= std::uint32_t{bytes[i]} << 8 * (i / 64);
  return lanes;
}

// Follows the flits that leave an end: each is well-formed, numbers are in rotation, a number has
// always the same content, packets begin where they may.
class FlitWatch {
 public:
  explicit FlitWatch(unsigned flit_cycles) : flit_cycles_(flit_cycles) {}

  void see(const RefFlit& flit) {
    REQUIRE(flit.crc_fits);
    REQUIRE(flit.zeros == 0);
    REQUIRE((flit.usage == 1 || flit.usage == 2));
    REQUIRE((restarted_ || flit.prior == prior_));
    REQUIRE((!restarted_ || flit.command == 0));
    restarted_ = false;
    REQUIRE(flit.command <= 2);
    const bool payload = flit.usage == 2;
    prior_ = payload || flit.command == 0;
    if (flit.command == 0) {
      current_ = flit.number;
    } else if (payload) {
      current_ = current_ % 1023 + 1;
    }
    if (!payload) {
      REQUIRE(flit.tlp == std::vector<std::uint32_t>(59));
      if (flit.command == 0) REQUIRE(current_ == newest_);
      return;
    }
    if (current_ == newest_ % 1023 + 1) {
      newest_ = current_;
      content_[current_] = flit.tlp;
      walk(flit.tlp);
    } else {
      ++repeated;
      REQUIRE(content_.count(current_) == 1);
      REQUIRE(content_[current_] == flit.tlp);
    }
  }

  // Flits may be lost before they leave; the next one states its number.
  void restart() { restarted_ = true; }

  std::uint64_t packets = 0, repeated = 0;

 private:
  void walk(const std::vector<std::uint32_t>& tlp) {
    std::size_t at = tail_;
    unsigned starts = 0;
    for (; at < 59 && tlp[at] != 0; ++starts, ++packets) at += 4 + (tlp[at] & 0x7f);
    REQUIRE(starts <= flit_cycles_);
    for (std::size_t i = at; i < 59; ++i) REQUIRE(tlp[i] == 0);
    tail_ = at > 59 ? at - 59 : 0;
  }

  unsigned flit_cycles_;
  bool restarted_ = true;
  unsigned prior_ = 0, current_ = 1023, newest_ = 1023;
  std::size_t tail_ = 0;
  std::map<unsigned, std::vector<std::uint32_t>> content_;
};

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace tern::hbm {

// A Hsiao code over one burst: 256 data bits and 10 check bits, corrects one wrong bit and detects
// two. Every data bit has a column of odd weight (three first, then five), every check bit one of
// weight one. So two flipped bits give a syndrome of even weight, which belongs to no single bit.
// The check bits fit HBM3's 16 ECC bits per 32 bytes, which cost no bandwidth.
struct Codeword {
  static constexpr unsigned kDataBits = 256, kCheckBits = 10, kBits = kDataBits + kCheckBits;

  std::array<std::uint64_t, 4> data{};  // bit i of the burst is bit i % 64 of word i / 64
  std::uint16_t check = 0;

  void flip(unsigned bit) {
    if (bit < kDataBits) {
      data[bit / 64] ^= std::uint64_t{1} << (bit % 64);
    } else {
      check = static_cast<std::uint16_t>(check ^ 1u << (bit - kDataBits));
    }
  }
  bool operator==(const Codeword& o) const { return data == o.data && check == o.check; }
  bool operator!=(const Codeword& o) const { return !(*this == o); }
};

enum class EccResult : std::uint8_t { kClean, kCorrected, kUncorrectable };

std::uint16_t secded_check_bits(const std::array<std::uint64_t, 4>& data);
// Corrects in place.
EccResult secded_decode(Codeword* word);

}  // namespace tern::hbm

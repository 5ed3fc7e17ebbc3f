// SPDX-License-Identifier: Apache-2.0
#include "systemc/hbm/secded.h"

namespace tern::hbm {

namespace {

constexpr unsigned weight(unsigned value) {
  return static_cast<unsigned>(__builtin_popcount(value));
}

struct Tables {
  static constexpr std::uint16_t kNone = 0xffff;
  std::array<std::array<std::uint64_t, 4>, Codeword::kCheckBits>
      mask{};  // of the data, per check bit
  std::array<std::uint16_t, 1u << Codeword::kCheckBits> bit_of_syndrome{};

  Tables() {
    bit_of_syndrome.fill(kNone);
    unsigned bit = 0;
    for (unsigned want = 3; bit < Codeword::kDataBits; want += 2) {
      for (unsigned column = 0; column < bit_of_syndrome.size() && bit < Codeword::kDataBits;
           ++column) {
        if (weight(column) != want) continue;
        bit_of_syndrome[column] = static_cast<std::uint16_t>(bit);
        for (unsigned c = 0; c < Codeword::kCheckBits; ++c) {
          if (column >> c & 1) mask[c][bit / 64] |= std::uint64_t{1} << (bit % 64);
        }
        ++bit;
      }
    }
    for (unsigned c = 0; c < Codeword::kCheckBits; ++c)
      bit_of_syndrome[1u << c] = static_cast<std::uint16_t>(Codeword::kDataBits + c);
  }
};

const Tables& tables() {
  static const Tables result;
  return result;
}

}  // namespace

std::uint16_t secded_check_bits(const std::array<std::uint64_t, 4>& data) {
  unsigned check = 0;
  for (unsigned c = 0; c < Codeword::kCheckBits; ++c) {
    const auto& mask = tables().mask[c];
    const std::uint64_t folded =
        (data[0] & mask[0]) ^ (data[1] & mask[1]) ^ (data[2] & mask[2]) ^ (data[3] & mask[3]);
    check |= static_cast<unsigned>(__builtin_popcountll(folded) & 1) << c;
  }
  return static_cast<std::uint16_t>(check);
}

EccResult secded_decode(Codeword* word) {
  const unsigned syndrome = word->check ^ secded_check_bits(word->data);
  if (syndrome == 0) return EccResult::kClean;
  const std::uint16_t bit = tables().bit_of_syndrome[syndrome];
  if (bit == Tables::kNone) return EccResult::kUncorrectable;
  word->flip(bit);
  return EccResult::kCorrected;
}

}  // namespace tern::hbm

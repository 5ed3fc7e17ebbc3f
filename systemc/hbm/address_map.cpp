// SPDX-License-Identifier: Apache-2.0
#include "systemc/hbm/address_map.h"

namespace tern::hbm {

namespace {

unsigned log2_of(unsigned power) {
  unsigned bits = 0;
  while ((1u << bits) < power) ++bits;
  return bits;
}

}  // namespace

AddressMap::Remainder::Remainder(unsigned degree) {
  // Primitive polynomials over GF(2), the highest power included.
  constexpr unsigned kPrimitive[] = {0b1, 0b11, 0b111, 0b1011, 0b10011, 0b100101, 0b1000011};
  unsigned power = degree == 0 ? 0 : 1;  // x^bit modulo the polynomial
  for (unsigned bit = 0; bit < 32; ++bit) {
    for (unsigned value = 0; value < 256; ++value) {
      if (value >> (bit % 8) & 1) table_[bit / 8][value] ^= static_cast<std::uint8_t>(power);
    }
    power <<= 1;
    if (power >> degree & 1) power ^= kPrimitive[degree];
  }
}

AddressMap::AddressMap(const Config& config)
    : channel_bits_(log2_of(config.pseudo_channels_per_stack())),
      row_piece_bits_(log2_of(config.page_bytes * kBankGroups / kPieceBytes)),
      stack_ids_(config.stack_ids),
      channel_hash_(channel_bits_),
      bank_hash_(2) {}

}  // namespace tern::hbm

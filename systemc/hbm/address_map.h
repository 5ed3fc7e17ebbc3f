// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "sw/config/hbm_config.h"

namespace tern::hbm {

// Location of a burst in a stack. A "set" is the four banks of the same number, one of each bank
// group, of one stack id; with the same row open they stream at the full rate.
struct Location {
  unsigned pseudo_channel;
  unsigned set;  // stack id x 4 + bank
  std::uint32_t row;
  // Bank group of burst i of the piece: (i + rotation) % 4. 0 or 2: then consecutive pieces never
  // use the same bank group back to back.
  unsigned rotation;
};

// Maps an offset in a stack to its location. Each choice is the remainder of a polynomial over
// GF(2) by a primitive one, as a CRC is. Multiplication by x is invertible, so every power-of-two
// stride visits all pseudo-channels (and, inside one, all banks of a stack id). README.md has the
// layout.
class AddressMap {
 public:
  explicit AddressMap(const Config& config);

  Location locate(std::uint64_t offset) const {
    const std::uint32_t piece = static_cast<std::uint32_t>(offset / kPieceBytes);
    const std::uint32_t in_channel = piece >> channel_bits_;
    const std::uint32_t stripe = in_channel >> row_piece_bits_;
    const std::uint32_t group = stripe / kBanksPerGroup;
    const unsigned bank = (stripe ^ bank_hash_(group)) % kBanksPerGroup;
    return {channel_hash_(piece), group % stack_ids_ * kBanksPerGroup + bank, group / stack_ids_,
            bank_hash_(in_channel) % 2 * 2};
  }

 private:
  // value(x) modulo a polynomial, a byte at a time.
  class Remainder {
   public:
    explicit Remainder(unsigned degree);
    unsigned operator()(std::uint32_t value) const {
      return table_[0][value & 255] ^ table_[1][value >> 8 & 255] ^ table_[2][value >> 16 & 255] ^
             table_[3][value >> 24];
    }

   private:
    std::array<std::array<std::uint8_t, 256>, 4> table_{};
  };

  unsigned channel_bits_, row_piece_bits_, stack_ids_;
  Remainder channel_hash_, bank_hash_;
};

}  // namespace tern::hbm

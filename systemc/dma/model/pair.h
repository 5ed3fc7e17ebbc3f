// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "systemc/dma/model/constants.h"

namespace tern::dma::model {

// Four words of a descriptor or of a pattern slot (docs/reference/registers.md).
struct Descriptor {
  std::uint32_t word[4];

  static constexpr std::uint32_t field(std::uint32_t word, unsigned lsb, unsigned width) {
    return (word >> lsb) & ((std::uint32_t{1} << width) - 1);
  }

  std::uint32_t raw_length() const { return field(word[0], TERN_DESC_LENGTH_LSB, 16); }
  std::uint32_t length() const { return raw_length() == 0 ? kPairBytes : raw_length(); }
  unsigned ring_id() const { return field(word[0], TERN_DESC_RING_ID_LSB, 2); }
  bool first() const { return field(word[0], TERN_DESC_FIRST_LSB, 1) != 0; }
  bool last() const { return field(word[0], TERN_DESC_LAST_LSB, 1) != 0; }
  bool int_en() const { return field(word[0], TERN_DESC_INT_EN_LSB, 1) != 0; }
  bool dmb() const { return field(word[0], TERN_DESC_DMB_LSB, 1) != 0; }
  std::uint64_t address() const { return word[2] | std::uint64_t{word[3]} << 32; }

  // TX.
  std::uint32_t scale() const { return word[1]; }
  // RX.
  unsigned op() const { return field(word[1], TERN_DESC_OP_LSB, 4); }
  unsigned src_dtype() const { return field(word[1], TERN_DESC_SRC_DTYPE_LSB, 4); }
  unsigned dst_dtype() const { return field(word[1], TERN_DESC_DST_DTYPE_LSB, 4); }
  unsigned crc() const { return field(word[1], TERN_DESC_CRC_LSB, 2); }
  unsigned ext() const { return field(word[1], TERN_DESC_EXT_LSB, 2); }
  unsigned write_op() const { return field(word[1], TERN_DESC_WRITE_OP_LSB, 2); }

  // Pattern slot: two dimensions.
  std::uint32_t count(unsigned dimension) const { return field(word[1], 16 * dimension, 16); }
  std::int32_t stride(unsigned dimension) const {
    return static_cast<std::int32_t>(word[2 + dimension]);
  }
};

struct Pair {
  Descriptor tx, rx;
};
static_assert(sizeof(Pair) == 2 * TERN_DESCRIPTOR_BYTES);

}  // namespace tern::dma::model

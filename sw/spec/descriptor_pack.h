// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "sw/spec/generated/isa.h"
#include "sw/spec/generated/registers.h"

// Descriptors as bytes, for all their makers (runtime, descriptor generators, tests).
namespace tern {

// Word 1 of the destination descriptor.
struct DescriptorOperation {
  unsigned op = TERN_DMA_OP_COPY;
  unsigned src_dtype = TERN_DMA_DTYPE_FP32, dst_dtype = TERN_DMA_DTYPE_FP32;
  unsigned crc = 0;
  unsigned pattern_slots = 0;
  unsigned write_op = TERN_DMA_WRITE_OP_STORE;

  constexpr std::uint32_t word() const {
    return op << TERN_DESC_OP_LSB | src_dtype << TERN_DESC_SRC_DTYPE_LSB |
           dst_dtype << TERN_DESC_DST_DTYPE_LSB | crc << TERN_DESC_CRC_LSB |
           pattern_slots << TERN_DESC_EXT_LSB | write_op << TERN_DESC_WRITE_OP_LSB;
  }
};

// One side of a pattern slot: words 1 to 3.
struct DescriptorPattern {
  std::uint16_t count0 = 1, count1 = 1;
  std::int32_t stride0 = 0, stride1 = 0;

  constexpr std::uint32_t counts() const {
    return std::uint32_t{count0} << TERN_DESC_COUNT0_LSB | std::uint32_t{count1}
                                                               << TERN_DESC_COUNT1_LSB;
  }
  constexpr std::uint64_t strides() const {
    return static_cast<std::uint32_t>(stride0) | std::uint64_t{static_cast<std::uint32_t>(stride1)}
                                                     << 32;
  }
};

// One 16-byte descriptor. A pattern slot has no length, its counts as word 1 and its strides as
// address.
struct DescriptorFields {
  std::uint32_t length = 0;  // bytes, up to 65536; 0: the field is 0
  std::uint32_t word1 = 0;
  std::uint64_t address = 0;
  unsigned ring_id = 0;
  bool first = false, last = false, barrier = false;
};

inline void pack_descriptor(std::uint8_t* at, const DescriptorFields& fields) {
  const std::uint32_t length = fields.length % TERN_DESCRIPTOR_MAX_LENGTH;  // 64 KiB is 0
  const std::uint32_t word0 = length << TERN_DESC_LENGTH_LSB |
                              (fields.ring_id & 3) << TERN_DESC_RING_ID_LSB |
                              std::uint32_t{fields.first} << TERN_DESC_FIRST_LSB |
                              std::uint32_t{fields.last} << TERN_DESC_LAST_LSB |
                              std::uint32_t{fields.barrier} << TERN_DESC_DMB_LSB;
  std::memcpy(at + 4 * TERN_DESC_LENGTH_WORD, &word0, sizeof word0);
  std::memcpy(at + 4 * TERN_DESC_META_WORD, &fields.word1, sizeof fields.word1);
  std::memcpy(at + 4 * TERN_DESC_ADDRESS_WORD, &fields.address, sizeof fields.address);
}

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sw/spec/descriptor_pack.h"
#include "systemc/dge/copy_expansion.h"
#include "tb/dge/interpret.h"

namespace tern::tb {

constexpr std::uint64_t kHbm = 0x1000000000;                       // stack 1
constexpr std::uint64_t kCore3 = 0x20000000000 + 3 * 0x100000000;  // and its SBUF
constexpr std::uint64_t kPartition = 0x40000;

inline PairBytes packed(const dge::MadePair& pair) {
  PairBytes bytes{};
  pack_descriptor(bytes.data(), pair.tx);
  pack_descriptor(bytes.data() + 16, pair.rx);
  return bytes;
}

struct Dimension {
  unsigned count = 1;
  std::int32_t dst = 0, src = 0;
};

// Dimensions from the innermost; length 65536 is written as 0.
inline tern_instr_dma_copy_t dma_copy(std::uint64_t dst, std::uint64_t src, unsigned length,
                                      const std::vector<Dimension>& dimensions) {
  tern_instr_dma_copy_t in{};
  in.header.opcode = TERN_OPCODE_DMA_COPY;
  in.dst_lo = static_cast<std::uint32_t>(dst);
  in.dst_hi = static_cast<std::uint32_t>(dst >> 32);
  in.src_lo = static_cast<std::uint32_t>(src);
  in.src_hi = static_cast<std::uint32_t>(src >> 32);
  in.length = static_cast<std::uint16_t>(length);
  for (unsigned d = 0; d < 3; ++d) {
    const Dimension dimension = d < dimensions.size() ? dimensions[d] : Dimension{};
    in.count[d] = static_cast<std::uint16_t>(dimension.count);
    in.dst_stride[d] = dimension.dst;
    in.src_stride[d] = dimension.src;
  }
  in.ring = 9;
  in.semaphore = 77;
  return in;
}

}  // namespace tern::tb

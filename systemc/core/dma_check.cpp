// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/dma_check.h"

#include <iterator>

#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/dma.h"
#include "sw/spec/generated/registers.h"

namespace tern {

namespace {

using Trigger = tern_instr_dma_trigger_t;
using Copy = tern_instr_dma_copy_t;
using Indirect = tern_instr_dma_indirect_t;

constexpr unsigned kRings = TERN_REG_DMA_RING_SIZE_COUNT;
// Of a transpose of 2-byte elements.
constexpr unsigned kBlockRowBytes = TERN_DMA_BEAT_BYTES, kBlockRows = kBlockRowBytes / 2;

}  // namespace

void DmaChecker::trigger() const {
  field(in_.dma_trigger.ring < kRings, offsetof(Trigger, ring));
  field(in_.dma_trigger.reserved == 0, offsetof(Trigger, reserved));
  zeros_from(offsetof(Trigger, pad));
}

// Addresses are judged by the engines that use them.
void DmaChecker::copy() const {
  const Copy& in = in_.dma_copy;
  field(in.ring < kRings, offsetof(Copy, ring));
  field(in.op == TERN_DMA_OP_COPY || in.op == TERN_DMA_OP_TRANSPOSE, offsetof(Copy, op));
  field(in.reserved == 0, offsetof(Copy, reserved));
  for (std::size_t d = 0; d < std::size(in.count); ++d) {
    field(in.count[d] != 0, offsetof(Copy, count) + 2 * d);
    field(in.count[d] > 1 || in.dst_stride[d] == 0, offsetof(Copy, dst_stride) + 4 * d);
    field(in.count[d] > 1 || in.src_stride[d] == 0, offsetof(Copy, src_stride) + 4 * d);
  }
  if (in.op == TERN_DMA_OP_TRANSPOSE) {
    field(in.length == kBlockRowBytes, offsetof(Copy, length));
    field(in.count[0] == kBlockRows, offsetof(Copy, count));
  }
}

void DmaChecker::indirect() const {
  const Indirect& in = in_.dma_indirect;
  field(in.rows != 0, offsetof(Indirect, rows));
  field(in.length >= 1 && in.length <= TERN_DESCRIPTOR_MAX_LENGTH, offsetof(Indirect, length));
  field(in.ring < kRings, offsetof(Indirect, ring));
  field(in.direction <= TERN_DMA_DIRECTION_SCATTER, offsetof(Indirect, direction));
  field(in.bounds <= TERN_BOUNDS_MODE_SKIP, offsetof(Indirect, bounds));
  field(in.write_op <= TERN_DMA_WRITE_OP_ADD_BF16, offsetof(Indirect, write_op));
  zeros_from(offsetof(Indirect, reserved));

  const AccessPattern index(tern_ap_t{in.index, 1, 1, 1, 0});
  require(!index.psum, TERN_ERROR_FORBIDDEN_MEMORY, offsetof(Indirect, index));
  require(index.byte % sizeof(std::uint32_t) == 0, TERN_ERROR_BAD_ACCESS_PATTERN,
          offsetof(Indirect, index));
  field(in.partitions >= 1 && in.partitions <= TERN_CORE_SBUF_COUNT,
        offsetof(Indirect, partitions));
  pattern(index, offsetof(Indirect, index), sizeof(std::uint32_t), in.partitions);

  // DMA reaches any partitions: no start partition is forbidden.
  const AccessPattern tile(tern_ap_t{in.tile, 1, 1, 1, 0});
  require(!tile.psum, TERN_ERROR_FORBIDDEN_MEMORY, offsetof(Indirect, tile));
  require(tile.partition + in.partitions <= TERN_CORE_SBUF_COUNT &&
              std::uint64_t{tile.byte} + in.length <= limits_.sbuf_bytes,
          TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Indirect, tile));
  if (in.write_op == TERN_DMA_WRITE_OP_STORE) return;
  const unsigned word = in.write_op == TERN_DMA_WRITE_OP_ADD_FP32 ? 4 : 2;
  field(in.length % word == 0, offsetof(Indirect, length));
}

}  // namespace tern

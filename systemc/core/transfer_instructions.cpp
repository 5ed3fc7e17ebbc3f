// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/transfer_instructions.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>

#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/dma.h"
#include "sw/spec/generated/registers.h"
#include "systemc/core/core_services.h"
#include "systemc/engines/instruction/field_checker.h"
#include "systemc/engines/instruction/operand_text.h"

namespace tern {

namespace {

using Trigger = tern_instr_dma_trigger_t;
using Copy = tern_instr_dma_copy_t;
using Indirect = tern_instr_dma_indirect_t;

constexpr unsigned kRings = TERN_REG_DMA_RING_SIZE_COUNT;
// Of a transpose of 2-byte elements.
constexpr unsigned kBlockRowBytes = TERN_DMA_BEAT_BYTES, kBlockRows = kBlockRowBytes / 2;

void check_dma_trigger(const CheckInput& input) {
  const FieldChecker c(input);
  c.field(c.instruction().dma_trigger.ring < kRings, offsetof(Trigger, ring));
  c.field(c.instruction().dma_trigger.reserved == 0, offsetof(Trigger, reserved));
  c.zeros_from(offsetof(Trigger, pad));
  c.no_extension();
}

std::string describe_dma_trigger(const Operation& operation, unsigned index) {
  unsigned pairs = 0;
  for (const std::uint16_t count : operation.instruction.dma_trigger.count) pairs += count;
  return fmt::format(R"({{"index":{},"ring":{},"pairs":{}}})", index,
                     operation.instruction.dma_trigger.ring, pairs);
}

ServiceOutcome serve_dma_trigger(CoreServices& services, unsigned, const tern_instruction_t& in) {
  services.trigger_dma(in.dma_trigger);
  return {};
}

// Addresses are checked by the engines that use them.
void check_dma_copy(const CheckInput& input) {
  const FieldChecker c(input);
  const Copy& in = c.instruction().dma_copy;
  c.field(in.ring < kRings, offsetof(Copy, ring));
  c.field(in.op == TERN_DMA_OP_COPY || in.op == TERN_DMA_OP_TRANSPOSE, offsetof(Copy, op));
  c.field(in.reserved == 0, offsetof(Copy, reserved));
  for (std::size_t d = 0; d < std::size(in.count); ++d) {
    c.field(in.count[d] != 0, offsetof(Copy, count) + 2 * d);
    c.field(in.count[d] > 1 || in.dst_stride[d] == 0, offsetof(Copy, dst_stride) + 4 * d);
    c.field(in.count[d] > 1 || in.src_stride[d] == 0, offsetof(Copy, src_stride) + 4 * d);
  }
  if (in.op == TERN_DMA_OP_TRANSPOSE) {
    c.field(in.length == kBlockRowBytes, offsetof(Copy, length));
    c.field(in.count[0] == kBlockRows, offsetof(Copy, count));
  }
  c.no_extension();
}

std::string describe_dma_copy(const Operation& operation, unsigned index) {
  const auto& in = operation.instruction.dma_copy;
  const unsigned run = in.length == 0 ? TERN_DESCRIPTOR_MAX_LENGTH : in.length;
  return fmt::format(R"({{"index":{},"ring":{},"runs":{},"run_bytes":{},"src":"{:#x}",)"
                     R"("dst":"{:#x}"}})",
                     index, in.ring, std::uint64_t{in.count[0]} * in.count[1] * in.count[2], run,
                     std::uint64_t{in.src_hi} << 32 | in.src_lo,
                     std::uint64_t{in.dst_hi} << 32 | in.dst_lo);
}

ServiceOutcome serve_dma_copy(CoreServices& services, unsigned queue,
                              const tern_instruction_t& in) {
  services.copy(queue, in.dma_copy);
  return {};
}

void check_dma_indirect(const CheckInput& input) {
  const FieldChecker c(input);
  const Indirect& in = c.instruction().dma_indirect;
  c.field(in.rows != 0, offsetof(Indirect, rows));
  c.field(in.length >= 1 && in.length <= TERN_DESCRIPTOR_MAX_LENGTH, offsetof(Indirect, length));
  c.field(in.ring < kRings, offsetof(Indirect, ring));
  c.field(in.direction <= TERN_DMA_DIRECTION_SCATTER, offsetof(Indirect, direction));
  c.field(in.bounds <= TERN_BOUNDS_MODE_SKIP, offsetof(Indirect, bounds));
  c.field(in.write_op <= TERN_DMA_WRITE_OP_ADD_FP8, offsetof(Indirect, write_op));
  c.zeros_from(offsetof(Indirect, reserved));

  const AccessPattern index(tern_ap_t{in.index, 1, 1, 1, 0});
  c.require(!index.psum, TERN_ERROR_FORBIDDEN_MEMORY, offsetof(Indirect, index));
  c.require(index.byte % sizeof(std::uint32_t) == 0, TERN_ERROR_BAD_ACCESS_PATTERN,
            offsetof(Indirect, index));
  c.field(in.partitions >= 1 && in.partitions <= TERN_CORE_SBUF_COUNT,
          offsetof(Indirect, partitions));
  c.pattern(index, offsetof(Indirect, index), sizeof(std::uint32_t), in.partitions);

  // DMA reaches all partitions: no start partition is forbidden.
  const AccessPattern tile(tern_ap_t{in.tile, 1, 1, 1, 0});
  c.require(!tile.psum, TERN_ERROR_FORBIDDEN_MEMORY, offsetof(Indirect, tile));
  c.require(tile.partition + in.partitions <= TERN_CORE_SBUF_COUNT &&
                std::uint64_t{tile.byte} + in.length <= c.limits().sbuf_bytes,
            TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Indirect, tile));
  if (in.write_op != TERN_DMA_WRITE_OP_STORE) {
    const unsigned word = word_bytes(static_cast<WriteOp>(in.write_op));
    c.field(in.length % word == 0, offsetof(Indirect, length));
  }
  c.no_extension();
}

std::string describe_dma_indirect(const Operation& operation, unsigned index) {
  const auto& in = operation.instruction.dma_indirect;
  return fmt::format(R"({{"index":{},"ring":{},"P":{},"row_bytes":{},"direction":"{}",)"
                     R"("tile":"{}"}})",
                     index, in.ring, in.partitions, in.length,
                     in.direction == TERN_DMA_DIRECTION_GATHER ? "gather" : "scatter",
                     place(in.tile));
}

ServiceOutcome serve_dma_indirect(CoreServices& services, unsigned, const tern_instruction_t& in) {
  return services.copy_indirect(in.dma_indirect);
}

constexpr InstructionRow transfer(unsigned opcode, void (*check)(const CheckInput&),
                                  decltype(InstructionRow::describe) describe,
                                  decltype(InstructionRow::serve) serve) {
  InstructionRow row{opcode, check, describe};
  row.serve = serve;
  return row;
}

constexpr InstructionRow kRows[] = {
    transfer(TERN_OPCODE_DMA_TRIGGER, check_dma_trigger, describe_dma_trigger, serve_dma_trigger),
    transfer(TERN_OPCODE_DMA_COPY, check_dma_copy, describe_dma_copy, serve_dma_copy),
    transfer(TERN_OPCODE_DMA_INDIRECT, check_dma_indirect, describe_dma_indirect,
             serve_dma_indirect),
};

}  // namespace

InstructionRows transfer_instructions() {
  return kRows;
}

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <functional>

#include "systemc/core/instruction_check.h"
#include "systemc/core/merge_extension.h"
#include "tb/core/bench/program.h"

using namespace tern;
using namespace tern::tb;

namespace {

using Copy = tern_instr_dma_copy_t;
using Indirect = tern_instr_dma_indirect_t;
using Change = std::function<void(tern_instruction_t&)>;

constexpr std::uint32_t kSbufBytes = 1000 * 16;
const Change kNothing = [](tern_instruction_t&) {};

CoreLimits limits() {
  return {kSbufBytes, 16384, 2048, {}};
}

tern_instruction_t copy() {
  tern_instruction_t in = plain(TERN_OPCODE_DMA_COPY);
  in.dma_copy.length = 512;
  in.dma_copy.count[0] = in.dma_copy.count[1] = 1;
  in.dma_copy.count[2] = 128;
  in.dma_copy.dst_stride[2] = 0x40000;
  in.dma_copy.src_stride[2] = 512;
  in.dma_copy.ring = 15;
  return in;
}
tern_instruction_t indirect() {
  tern_instruction_t in = plain(TERN_OPCODE_DMA_INDIRECT);
  in.dma_indirect.rows = 1;
  in.dma_indirect.length = 1024;
  in.dma_indirect.tile = place(0, kSbufBytes - 1024);
  in.dma_indirect.index = place(0, kSbufBytes - 4);
  in.dma_indirect.partitions = 128;
  in.dma_indirect.ring = 15;
  return in;
}

void check(tern_instruction_t in, unsigned queue, unsigned code, std::size_t detail,
           const Change& change) {
  change(in);
  const auto fault = check_instruction(in, queue, limits());
  INFO("expected code " << code << " detail " << detail);
  REQUIRE(fault.has_value() == (code != TERN_ERROR_NONE));
  if (!fault) return;
  CHECK(fault->code == code);
  CHECK(fault->detail == detail);
}
void copy_refused(std::size_t byte, const Change& change) {
  check(copy(), TERN_QUEUE_SYNC, TERN_ERROR_ILLEGAL_FIELD, byte, change);
}
void refused(unsigned code, std::size_t byte, const Change& change) {
  check(indirect(), TERN_QUEUE_GPSIMD, code, byte, change);
}
void taken(const Change& change) {
  check(indirect(), TERN_QUEUE_GPSIMD, TERN_ERROR_NONE, 0, change);
}

}  // namespace

TEST_CASE("check: dma_copy") {
  check(copy(), TERN_QUEUE_SYNC, TERN_ERROR_NONE, 0, kNothing);
  check(copy(), TERN_QUEUE_SCALAR, TERN_ERROR_NONE, 0, kNothing);
  check(copy(), TERN_QUEUE_GPSIMD, TERN_ERROR_NONE, 0, kNothing);
  check(copy(), TERN_QUEUE_VECTOR, TERN_ERROR_ILLEGAL_OPCODE, TERN_OPCODE_DMA_COPY, kNothing);
  copy_refused(offsetof(Copy, ring), [](auto& in) { in.dma_copy.ring = 16; });
  copy_refused(offsetof(Copy, op), [](auto& in) { in.dma_copy.op = TERN_DMA_OP_ADD; });
  copy_refused(offsetof(Copy, op), [](auto& in) { in.dma_copy.op = TERN_DMA_OP_IMMEDIATE; });
  copy_refused(offsetof(Copy, reserved), [](auto& in) { in.dma_copy.reserved = 1; });
  for (unsigned d = 0; d < 3; ++d) {
    copy_refused(offsetof(Copy, count) + 2 * d, [=](auto& in) { in.dma_copy.count[d] = 0; });
  }
  copy_refused(offsetof(Copy, dst_stride), [](auto& in) { in.dma_copy.dst_stride[0] = 4; });
  copy_refused(offsetof(Copy, src_stride) + 4, [](auto& in) { in.dma_copy.src_stride[1] = 4; });
  copy_refused(offsetof(Copy, length), [](auto& in) { in.dma_copy.op = TERN_DMA_OP_TRANSPOSE; });
  copy_refused(offsetof(Copy, count), [](auto& in) {
    in.dma_copy.op = TERN_DMA_OP_TRANSPOSE;
    in.dma_copy.length = 64;
  });
}

TEST_CASE("check: dma_indirect") {
  taken(kNothing);
  check(indirect(), TERN_QUEUE_SYNC, TERN_ERROR_ILLEGAL_OPCODE, TERN_OPCODE_DMA_INDIRECT, kNothing);
  const unsigned field = TERN_ERROR_ILLEGAL_FIELD, pattern = TERN_ERROR_BAD_ACCESS_PATTERN;
  refused(field, offsetof(Indirect, rows), [](auto& in) { in.dma_indirect.rows = 0; });
  refused(field, offsetof(Indirect, length), [](auto& in) { in.dma_indirect.length = 0; });
  refused(field, offsetof(Indirect, length), [](auto& in) { in.dma_indirect.length = 65537; });
  refused(field, offsetof(Indirect, ring), [](auto& in) { in.dma_indirect.ring = 16; });
  refused(field, offsetof(Indirect, direction), [](auto& in) { in.dma_indirect.direction = 2; });
  refused(field, offsetof(Indirect, bounds), [](auto& in) { in.dma_indirect.bounds = 2; });
  refused(field, offsetof(Indirect, write_op), [](auto& in) { in.dma_indirect.write_op = 4; });
  refused(field, offsetof(Indirect, partitions), [](auto& in) { in.dma_indirect.partitions = 0; });
  refused(field, offsetof(Indirect, partitions),
          [](auto& in) { in.dma_indirect.partitions = 129; });
  for (std::size_t byte = offsetof(Indirect, reserved); byte < 64; ++byte) {
    refused(field, byte, [=](auto& in) { in.bytes[byte] = 1; });
  }
  refused(pattern, offsetof(Indirect, index), [](auto& in) { in.dma_indirect.index -= 2; });
  refused(pattern, offsetof(Indirect, index), [](auto& in) { in.dma_indirect.index += 4; });
  refused(pattern, offsetof(Indirect, tile), [](auto& in) { in.dma_indirect.tile += 1; });
  refused(pattern, offsetof(Indirect, tile), [](auto& in) { in.dma_indirect.tile += place(1, 0); });
  refused(TERN_ERROR_FORBIDDEN_MEMORY, offsetof(Indirect, tile),
          [](auto& in) { in.dma_indirect.tile = place(0, 0, kPsum); });
  refused(TERN_ERROR_FORBIDDEN_MEMORY, offsetof(Indirect, index),
          [](auto& in) { in.dma_indirect.index = place(0, 0, kPsum); });
  // Data may start at any partition.
  taken([](auto& in) {
    in.dma_indirect.partitions = 3;
    in.dma_indirect.tile += place(17, 0);
  });
  // Near-memory addition takes whole words.
  const auto adding = [](unsigned op, unsigned length) {
    return [=](tern_instruction_t& in) {
      in.dma_indirect.write_op = static_cast<std::uint8_t>(op);
      in.dma_indirect.length = length;
    };
  };
  taken(adding(TERN_DMA_WRITE_OP_ADD_FP32, 1020));
  taken(adding(TERN_DMA_WRITE_OP_ADD_BF16, 1022));
  taken(adding(TERN_DMA_WRITE_OP_ADD_FP8, 1023));
  refused(field, offsetof(Indirect, length), adding(TERN_DMA_WRITE_OP_ADD_FP32, 1022));
  refused(field, offsetof(Indirect, length), adding(TERN_DMA_WRITE_OP_ADD_BF16, 1023));
}

TEST_CASE(
    "extend: registers move the system addresses of dma_copy and the operands of dma_indirect") {
  ScalarRegisters registers;
  registers.set(1, 0x100);
  registers.set(2, static_cast<std::uint32_t>(-0x200));
  Operation operation{copy(), {}};
  operation.instruction.dma_copy.dst_lo = 0xFFFFFF80;
  operation.instruction.dma_copy.dst_hi = 0x2;
  operation.instruction.dma_copy.src_lo = 0x100;
  operation.instruction.dma_copy.src_hi = 0x7;
  operation.extension.dst_reg = 1;
  operation.extension.src0_reg = 2;
  REQUIRE_FALSE(resolve_registers(operation, registers));
  CHECK(operation.instruction.dma_copy.dst_lo == 0x80);
  CHECK(operation.instruction.dma_copy.dst_hi == 0x3);
  CHECK(operation.instruction.dma_copy.src_lo == 0xFFFFFF00);
  CHECK(operation.instruction.dma_copy.src_hi == 0x6);

  Operation third{copy(), {}};
  third.extension.src1_reg = 1;
  const auto fault = resolve_registers(third, registers);
  REQUIRE(fault);
  CHECK(fault->detail == 64 + offsetof(tern_instr_extend_t, src1_reg));

  Operation other{indirect(), {}};
  other.instruction.dma_indirect.tile = place(3, 0x1000);
  other.instruction.dma_indirect.index = place(0, 0x400);
  other.extension.dst_reg = 1;
  other.extension.src1_reg = 2;
  REQUIRE_FALSE(resolve_registers(other, registers));
  CHECK(other.instruction.dma_indirect.tile == place(3, 0x1100));
  CHECK(other.instruction.dma_indirect.index == place(0, 0x200));
}

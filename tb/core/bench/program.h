// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/spec/generated/formats.h"
#include "sw/spec/generated/isa.h"

// Instructions spelled out field by field, for tests.
namespace tern::tb {

using Program = std::vector<tern_instruction_t>;

constexpr std::uint32_t kPsum = 0x80000000;

constexpr std::uint32_t place(unsigned partition, std::uint32_t byte, std::uint32_t memory = 0) {
  return memory | partition << 24 | byte;
}

inline tern_ap_t ap(std::uint32_t addr, unsigned num0, int step0 = 1, unsigned num1 = 1,
                    int step1 = 0) {
  return {addr, static_cast<std::uint16_t>(num0), static_cast<std::int16_t>(step0),
          static_cast<std::uint16_t>(num1), static_cast<std::int16_t>(step1)};
}

inline tern_instruction_t plain(unsigned opcode) {
  tern_instruction_t in{};
  in.header.opcode = static_cast<std::uint8_t>(opcode);
  return in;
}
inline tern_instruction_t nop() {
  return plain(TERN_OPCODE_NOP);
}
inline tern_instruction_t halt() {
  return plain(TERN_OPCODE_HALT);
}

inline tern_instruction_t waits(tern_instruction_t in, unsigned condition, unsigned semaphore,
                                std::uint32_t value) {
  in.header.wait_cond = static_cast<std::uint8_t>(condition);
  in.header.wait_sem = static_cast<std::uint8_t>(semaphore);
  in.header.wait_value = value;
  return in;
}
inline tern_instruction_t updates(tern_instruction_t in, unsigned op, unsigned semaphore,
                                  unsigned value = 0) {
  in.header.upd_op = static_cast<std::uint8_t>(op);
  in.header.upd_sem = static_cast<std::uint8_t>(semaphore);
  in.header.upd_value = static_cast<std::uint16_t>(value);
  return in;
}

inline tern_instruction_t load_stationary(const tern_ap_t& src, unsigned k, unsigned m,
                                          unsigned dtype = TERN_DTYPE_BF16) {
  tern_instruction_t in = plain(TERN_OPCODE_LOAD_STATIONARY);
  in.load_stationary.src = src;
  in.load_stationary.dtype = static_cast<std::uint8_t>(dtype);
  in.load_stationary.rows = static_cast<std::uint8_t>(k);
  in.load_stationary.cols = static_cast<std::uint8_t>(m);
  return in;
}
inline tern_instruction_t multiply_moving(const tern_ap_t& src, const tern_ap_t& dst, unsigned k,
                                          unsigned m, bool accumulate = false,
                                          unsigned dtype = TERN_DTYPE_BF16) {
  tern_instruction_t in = plain(TERN_OPCODE_MULTIPLY_MOVING);
  in.multiply_moving.src = src;
  in.multiply_moving.dst = dst;
  in.multiply_moving.dtype = static_cast<std::uint8_t>(dtype);
  in.multiply_moving.rows = static_cast<std::uint8_t>(k);
  in.multiply_moving.cols = static_cast<std::uint8_t>(m);
  in.multiply_moving.accumulate = accumulate ? 1 : 0;
  in.multiply_moving.dst_dtype = TERN_DTYPE_FP32;
  return in;
}
inline tern_instruction_t transpose(const tern_ap_t& src, const tern_ap_t& dst, unsigned k,
                                    unsigned m, unsigned dtype = TERN_DTYPE_BF16) {
  tern_instruction_t in = plain(TERN_OPCODE_TRANSPOSE);
  in.transpose.src = src;
  in.transpose.dst = dst;
  in.transpose.dtype = static_cast<std::uint8_t>(dtype);
  in.transpose.rows = static_cast<std::uint8_t>(k);
  in.transpose.cols = static_cast<std::uint8_t>(m);
  return in;
}

// All zero; to be placed before an instruction.
inline tern_instruction_t extend() {
  return plain(TERN_OPCODE_EXTEND);
}

inline tern_instruction_t register_alu(unsigned op, unsigned dst, unsigned a, unsigned b,
                                       std::uint32_t imm = 0) {
  tern_instruction_t in = plain(TERN_OPCODE_REGISTER_ALU);
  in.register_alu.op = static_cast<std::uint8_t>(op);
  in.register_alu.dst = static_cast<std::uint8_t>(dst);
  in.register_alu.a = static_cast<std::uint8_t>(a);
  in.register_alu.b = static_cast<std::uint8_t>(b);
  in.register_alu.imm = imm;
  return in;
}
inline tern_instruction_t set_register(unsigned dst, std::uint32_t value) {
  return register_alu(TERN_REGISTER_OP_MOVE, dst, 0, 0, value);
}
inline tern_instruction_t register_memory(unsigned opcode, unsigned reg, std::uint32_t addr,
                                          unsigned addr_reg = 0) {
  tern_instruction_t in = plain(opcode);
  in.register_memory.reg = static_cast<std::uint8_t>(reg);
  in.register_memory.addr = addr;
  in.register_memory.addr_reg = static_cast<std::uint8_t>(addr_reg);
  return in;
}
inline tern_instruction_t branch(unsigned condition, int target, unsigned a = 0, unsigned b = 0,
                                 std::uint32_t imm = 0) {
  tern_instruction_t in = plain(TERN_OPCODE_BRANCH);
  in.branch.cond = static_cast<std::uint8_t>(condition);
  in.branch.target = target;
  in.branch.a = static_cast<std::uint8_t>(a);
  in.branch.b = static_cast<std::uint8_t>(b);
  in.branch.imm = imm;
  return in;
}
inline tern_instruction_t loop(std::uint32_t length, std::uint32_t count, unsigned counter = 0,
                               std::uint32_t start = 0, int step = 1) {
  tern_instruction_t in = plain(TERN_OPCODE_LOOP);
  in.loop.length = length;
  in.loop.count = count;
  in.loop.counter = static_cast<std::uint8_t>(counter);
  in.loop.start = start;
  in.loop.step = step;
  return in;
}

struct Operand {
  tern_ap_t pattern{};
  unsigned dtype = TERN_DTYPE_NONE;
};

inline tern_instruction_t elementwise(unsigned opcode, unsigned partitions, const Operand& dst,
                                      const Operand& src0, const Operand& src1 = {},
                                      unsigned op0 = 0, unsigned op1 = 0, float imm0 = 0,
                                      float imm1 = 0) {
  tern_instruction_t in = plain(opcode);
  auto& e = in.elementwise;
  e.dst = dst.pattern;
  e.src0 = src0.pattern;
  e.src1 = src1.pattern;
  e.dst_dtype = static_cast<std::uint8_t>(dst.dtype);
  e.src0_dtype = static_cast<std::uint8_t>(src0.dtype);
  e.src1_dtype = static_cast<std::uint8_t>(src1.dtype);
  e.partitions = static_cast<std::uint8_t>(partitions);
  e.op0 = static_cast<std::uint8_t>(op0);
  e.op1 = static_cast<std::uint8_t>(op1);
  e.imm0 = imm0;
  e.imm1 = imm1;
  return in;
}

inline tern_instruction_t dma_trigger(unsigned ring, unsigned pairs_per_engine) {
  tern_instruction_t in = plain(TERN_OPCODE_DMA_TRIGGER);
  in.dma_trigger.ring = static_cast<std::uint8_t>(ring);
  for (auto& count : in.dma_trigger.count) count = static_cast<std::uint16_t>(pairs_per_engine);
  return in;
}

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/program_flow.h"

#include <algorithm>

namespace tern {

namespace {

InstructionFault flow_fault(unsigned detail) {
  return {TERN_ERROR_CONTROL_FLOW, detail};
}

std::int32_t as_signed(std::uint32_t value) {
  return static_cast<std::int32_t>(value);
}

}  // namespace

std::uint32_t register_result(unsigned op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
    case TERN_REGISTER_OP_ADD:
      return a + b;
    case TERN_REGISTER_OP_SUBTRACT:
      return a - b;
    case TERN_REGISTER_OP_MULTIPLY:
      return a * b;
    case TERN_REGISTER_OP_BIT_AND:
      return a & b;
    case TERN_REGISTER_OP_BIT_OR:
      return a | b;
    case TERN_REGISTER_OP_BIT_XOR:
      return a ^ b;
    case TERN_REGISTER_OP_SHIFT_LEFT:
      return a << (b % 32);
    case TERN_REGISTER_OP_SHIFT_RIGHT:
      return a >> (b % 32);
    case TERN_REGISTER_OP_MIN:
      return as_signed(a) < as_signed(b) ? a : b;
    case TERN_REGISTER_OP_MAX:
      return as_signed(a) < as_signed(b) ? b : a;
    default:  // move
      return b;
  }
}

bool branch_taken(unsigned condition, std::uint32_t a, std::uint32_t b) {
  switch (condition) {
    case TERN_BRANCH_COND_EQ:
      return a == b;
    case TERN_BRANCH_COND_NE:
      return a != b;
    case TERN_BRANCH_COND_LT:
      return as_signed(a) < as_signed(b);
    case TERN_BRANCH_COND_GE:
      return as_signed(a) >= as_signed(b);
    case TERN_BRANCH_COND_LTU:
      return a < b;
    case TERN_BRANCH_COND_GEU:
      return a >= b;
    default:  // always
      return true;
  }
}

void ProgramFlow::start(std::uint32_t length) {
  length_ = length;
  pc_ = 0;
  depth_ = 0;
}

void ProgramFlow::arrive(std::uint32_t pc, ScalarRegisters& registers) {
  pc_ = pc;
  while (depth_ > 0 && pc_ == loops_[depth_ - 1].end) {
    Loop& loop = loops_[depth_ - 1];
    registers.set(loop.counter, registers[loop.counter] + loop.step);
    if (--loop.iterations > 0) {
      pc_ = loop.begin;
      return;
    }
    --depth_;  // the enclosing body may end here too
  }
}

std::optional<InstructionFault> ProgramFlow::enter_extended() {
  if (pc_ + 1 >= end()) return flow_fault(TERN_CONTROL_FAULT_EXTEND);
  ++pc_;
  return std::nullopt;
}

std::optional<InstructionFault> ProgramFlow::branch(const tern_instr_branch_t& in,
                                                    ScalarRegisters& registers) {
  if (!branch_taken(in.cond, registers[in.a], registers[in.b] + in.imm)) {
    next(registers);
    return std::nullopt;
  }
  const std::int64_t target = std::int64_t{pc_} + in.target;
  if (target < 0 || target >= length_) return flow_fault(TERN_CONTROL_FAULT_BRANCH_PROGRAM);
  if (target < begin() || target >= end()) return flow_fault(TERN_CONTROL_FAULT_BRANCH_LOOP);
  pc_ = static_cast<std::uint32_t>(target);
  return std::nullopt;
}

std::optional<InstructionFault> ProgramFlow::loop(const tern_instr_loop_t& in,
                                                  ScalarRegisters& registers) {
  const std::uint64_t body_end = std::uint64_t{pc_} + 1 + in.length;
  if (body_end > end()) return flow_fault(TERN_CONTROL_FAULT_LOOP_BODY);
  if (depth_ == kDepth) return flow_fault(TERN_CONTROL_FAULT_LOOP_DEPTH);
  // Both sums before the counter changes: it may be one of the registers.
  const std::uint32_t iterations = in.count + registers[in.count_reg];
  registers.set(in.counter, in.start + registers[in.start_reg]);
  if (iterations == 0) {
    arrive(static_cast<std::uint32_t>(body_end), registers);
    return std::nullopt;
  }
  loops_[depth_++] = {pc_ + 1, static_cast<std::uint32_t>(body_end), iterations,
                      static_cast<std::uint32_t>(in.step), in.counter};
  ++pc_;
  return std::nullopt;
}

}  // namespace tern

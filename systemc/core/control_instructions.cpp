// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/control_instructions.h"

#include <cstddef>
#include <cstring>

#include "systemc/core/control_unit.h"
#include "systemc/engines/instruction/field_checker.h"
#include "systemc/engines/instruction/operand_text.h"

namespace tern {

namespace {

using Extend = tern_instr_extend_t;
using Alu = tern_instr_register_alu_t;
using Memory = tern_instr_register_memory_t;
using Branch = tern_instr_branch_t;
using Loop = tern_instr_loop_t;

// nop and halt.
void check_nothing(const CheckInput& input) {
  const FieldChecker c(input);
  c.zeros_from(sizeof(tern_header_t));
  c.no_extension();
}

void check_register_number(const FieldChecker& c, std::size_t byte) {
  c.field(c.instruction().bytes[byte] < ScalarRegisters::kCount, byte);
}

// The parts that the engine uses are checked with the instruction that follows.
void check_extend(const CheckInput& input) {
  const FieldChecker c(input);
  c.zeros(offsetof(tern_header_t, wait_cond), sizeof(tern_header_t));
  for (std::size_t byte = offsetof(Extend, dst_reg); byte <= offsetof(Extend, num_reg); ++byte) {
    check_register_number(c, byte);
  }
  c.zeros_from(offsetof(Extend, reserved));
}

void check_register_alu(const CheckInput& input) {
  const FieldChecker c(input);
  for (std::size_t byte : {offsetof(Alu, dst), offsetof(Alu, a), offsetof(Alu, b)}) {
    check_register_number(c, byte);
  }
  c.field(c.instruction().register_alu.dst != 0, offsetof(Alu, dst));
  c.field(c.instruction().register_alu.op <= TERN_REGISTER_OP_MAX, offsetof(Alu, op));
  c.zeros_from(offsetof(Alu, pad));
}

std::optional<InstructionFault> run_register_alu(ControlUnit& unit, const tern_instruction_t& in) {
  const Alu& alu = in.register_alu;
  ScalarRegisters& registers = unit.registers;
  registers.set(alu.dst, register_result(alu.op, registers[alu.a], registers[alu.b] + alu.imm));
  unit.next();
  return std::nullopt;
}

// The address with its register is checked once it is known.
void check_register_memory(const FieldChecker& c) {
  const AccessPattern place(tern_ap_t{c.instruction().register_memory.addr, 1, 1, 1, 0});
  c.require(!place.psum, TERN_ERROR_FORBIDDEN_MEMORY, offsetof(Memory, addr));
  check_register_number(c, offsetof(Memory, addr_reg));
  check_register_number(c, offsetof(Memory, reg));
  c.zeros_from(offsetof(Memory, reserved));
}

void check_register_load(const CheckInput& input) {
  const FieldChecker c(input);
  check_register_memory(c);
  c.field(c.instruction().register_memory.reg != 0, offsetof(Memory, reg));
}

void check_register_store(const CheckInput& input) {
  const FieldChecker c(input);
  check_register_memory(c);
}

// A word of any partition of SBUF, moved by move(register, place).
template <typename Move>
std::optional<InstructionFault> move_register(ControlUnit& unit, const tern_instruction_t& in,
                                              Move move) {
  const Memory& memory = in.register_memory;
  const std::int64_t byte = std::int64_t{memory.addr & 0xFFFFFF} +
                            static_cast<std::int32_t>(unit.registers[memory.addr_reg]);
  constexpr std::int64_t kWord = sizeof(std::uint32_t);
  if (byte < 0 || byte % kWord != 0 || byte + kWord > static_cast<std::int64_t>(unit.sbuf_bytes)) {
    return InstructionFault{TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Memory, addr)};
  }
  move(memory.reg, unit.sbuf.partition(memory.addr >> 24 & 0x7F) + byte);
  unit.next();
  return std::nullopt;
}

std::optional<InstructionFault> run_register_load(ControlUnit& unit, const tern_instruction_t& in) {
  return move_register(unit, in, [&](unsigned reg, const std::uint8_t* place) {
    std::uint32_t word = 0;
    std::memcpy(&word, place, sizeof word);
    unit.registers.set(reg, word);
  });
}

std::optional<InstructionFault> run_register_store(ControlUnit& unit,
                                                   const tern_instruction_t& in) {
  return move_register(unit, in, [&](unsigned reg, std::uint8_t* place) {
    const std::uint32_t word = unit.registers[reg];
    std::memcpy(place, &word, sizeof word);
  });
}

void check_branch(const CheckInput& input) {
  const FieldChecker c(input);
  c.field(c.instruction().branch.cond <= TERN_BRANCH_COND_GEU, offsetof(Branch, cond));
  check_register_number(c, offsetof(Branch, a));
  check_register_number(c, offsetof(Branch, b));
  c.zeros_from(offsetof(Branch, reserved));
}

std::optional<InstructionFault> run_branch(ControlUnit& unit, const tern_instruction_t& in) {
  return unit.flow.branch(in.branch, unit.registers);
}

void check_loop(const CheckInput& input) {
  const FieldChecker c(input);
  c.field(c.instruction().loop.length != 0, offsetof(Loop, length));
  for (std::size_t byte :
       {offsetof(Loop, counter), offsetof(Loop, count_reg), offsetof(Loop, start_reg)}) {
    check_register_number(c, byte);
  }
  c.zeros_from(offsetof(Loop, reserved));
}

std::optional<InstructionFault> run_loop(ControlUnit& unit, const tern_instruction_t& in) {
  return unit.flow.loop(in.loop, unit.registers);
}

constexpr InstructionRow control(unsigned opcode, void (*check)(const CheckInput&),
                                 decltype(InstructionRow::control) run) {
  InstructionRow row{opcode, check, describe_index};
  row.control = run;
  return row;
}

// The sequencer merges `extend` into the next instruction, ends the program at `halt`, and executes
// the rest itself.
constexpr InstructionRow kRows[] = {
    {TERN_OPCODE_NOP, check_nothing, describe_index},
    {TERN_OPCODE_HALT, check_nothing, describe_index},
    {TERN_OPCODE_EXTEND, check_extend, describe_index},
    control(TERN_OPCODE_REGISTER_ALU, check_register_alu, run_register_alu),
    control(TERN_OPCODE_REGISTER_LOAD, check_register_load, run_register_load),
    control(TERN_OPCODE_REGISTER_STORE, check_register_store, run_register_store),
    control(TERN_OPCODE_BRANCH, check_branch, run_branch),
    control(TERN_OPCODE_LOOP, check_loop, run_loop),
};

}  // namespace

InstructionRows control_instructions() {
  return kRows;
}

}  // namespace tern

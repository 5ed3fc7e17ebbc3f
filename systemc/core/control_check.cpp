// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/control_check.h"

#include "systemc/core/scalar_registers.h"

namespace tern {

namespace {

using Extend = tern_instr_extend_t;
using Alu = tern_instr_register_alu_t;
using Memory = tern_instr_register_memory_t;
using Branch = tern_instr_branch_t;
using Loop = tern_instr_loop_t;

}  // namespace

void ControlChecker::register_number(std::size_t byte) const {
  field(in_.bytes[byte] < ScalarRegisters::kCount, byte);
}

// The parts that the engine uses are judged with the instruction behind it.
void ControlChecker::extend() const {
  zeros(offsetof(tern_header_t, wait_cond), sizeof(tern_header_t));
  for (std::size_t byte = offsetof(Extend, dst_reg); byte <= offsetof(Extend, num_reg); ++byte) {
    register_number(byte);
  }
  zeros_from(offsetof(Extend, reserved));
}

void ControlChecker::register_alu() const {
  for (std::size_t byte : {offsetof(Alu, dst), offsetof(Alu, a), offsetof(Alu, b)}) {
    register_number(byte);
  }
  field(in_.register_alu.dst != 0, offsetof(Alu, dst));
  field(in_.register_alu.op <= TERN_REGISTER_OP_MAX, offsetof(Alu, op));
  zeros_from(offsetof(Alu, pad));
}

// The place with its register is judged when it is known.
void ControlChecker::register_memory() const {
  const AccessPattern place(tern_ap_t{in_.register_memory.addr, 1, 1, 1, 0});
  require(!place.psum, TERN_ERROR_FORBIDDEN_MEMORY, offsetof(Memory, addr));
  register_number(offsetof(Memory, addr_reg));
  register_number(offsetof(Memory, reg));
  zeros_from(offsetof(Memory, reserved));
}

void ControlChecker::register_load() const {
  register_memory();
  field(in_.register_memory.reg != 0, offsetof(Memory, reg));
}

void ControlChecker::register_store() const {
  register_memory();
}

void ControlChecker::branch() const {
  field(in_.branch.cond <= TERN_BRANCH_COND_GEU, offsetof(Branch, cond));
  register_number(offsetof(Branch, a));
  register_number(offsetof(Branch, b));
  zeros_from(offsetof(Branch, reserved));
}

void ControlChecker::loop() const {
  field(in_.loop.length != 0, offsetof(Loop, length));
  for (std::size_t byte :
       {offsetof(Loop, counter), offsetof(Loop, count_reg), offsetof(Loop, start_reg)}) {
    register_number(byte);
  }
  zeros_from(offsetof(Loop, reserved));
}

}  // namespace tern

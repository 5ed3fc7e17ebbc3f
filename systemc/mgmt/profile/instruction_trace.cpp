// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/profile/instruction_trace.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "sw/base/user_error.h"

namespace tern::mgmt {

InstructionTrace::InstructionTrace(std::ostream& out, const Symbols& symbols, bool wide)
    : out_(out), symbols_(symbols), wide_(wide) {
  const auto mode =
      static_cast<cs_mode>((wide ? CS_MODE_RISCV64 : CS_MODE_RISCV32) | CS_MODE_RISCVC);
  if (cs_open(CS_ARCH_RISCV, mode, &engine_) != CS_ERR_OK)
    throw RunError("Capstone has no RISC-V: instructions cannot be written as text");
  instruction_ = cs_malloc(engine_);
}

InstructionTrace::~InstructionTrace() {
  if (instruction_ != nullptr) cs_free(instruction_, 1);
  cs_close(&engine_);
}

void InstructionTrace::write(unsigned hart, const sc_core::sc_time& at, std::uint64_t pc,
                             std::uint32_t word) {
  const bool half = (word & 3) != 3;
  const auto* code = reinterpret_cast<const std::uint8_t*>(&word);
  std::size_t size = half ? 2 : 4;
  std::uint64_t address = pc;
  std::string text = "?";
  if (cs_disasm_iter(engine_, &code, &size, &address, instruction_)) {
    text = instruction_->mnemonic;
    if (instruction_->op_str[0] != '\0') text += std::string(" ") + instruction_->op_str;
  }
  const Symbol* symbol = symbols_.find(pc);
  if (symbol != nullptr)
    text = fmt::format("{:<32} {}+0x{:x}", text, symbol->name, pc - symbol->begin);
  const std::string bits =
      half ? fmt::format("    {:04x}", word & 0xffff) : fmt::format("{:08x}", word);
  fmt::print(out_, "{:>14.3f} ns  h{}  {:0{}x}  {}  {}\n", at.to_seconds() * 1e9, hart, pc,
             wide_ ? 16 : 8, bits, text);
  ++lines_;
}

}  // namespace tern::mgmt

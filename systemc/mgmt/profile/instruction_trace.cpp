// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/profile/instruction_trace.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <string>

#include "systemc/riscv/disassemble.h"

namespace tern::mgmt {

void InstructionTrace::write(unsigned hart, const sc_core::sc_time& at, std::uint64_t pc,
                             std::uint32_t word) {
  std::string text = riscv::disassemble(word, pc, config_);
  if (const Symbol* symbol = symbols_.find(pc))
    text = fmt::format("{:<32} {}+0x{:x}", text, symbol->name, pc - symbol->begin);
  const bool half = (word & 3) != 3;
  const std::string bits = fmt::format(half ? "    {:04x}" : "{:08x}", half ? word & 0xffff : word);
  fmt::print(out_, "{:>14.3f} ns  h{}  {:0{}x}  {}  {}\n", at.to_seconds() * 1e9, hart, pc,
             config_.xlen / 4, bits, text);
  ++lines_;
}

}  // namespace tern::mgmt

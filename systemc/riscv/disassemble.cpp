// SPDX-License-Identifier: Apache-2.0
#include "systemc/riscv/disassemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "systemc/riscv/decode.h"
#include "systemc/riscv/register_names.h"

namespace tern::riscv {

namespace {

constexpr const char* kNames[] = {
#define RISCV_INSTRUCTION(name, match, mask, operands, needs) #name,
#include "systemc/riscv/instructions.def"
#undef RISCV_INSTRUCTION
};

// "amoadd_w" is amoadd.w, "fcvt_from_w_s" fcvt.s.w, "and_" and.
std::string mnemonic(Instruction instruction) {
  std::string name = kNames[static_cast<unsigned>(instruction)];
  constexpr std::string_view from = "fcvt_from_";
  if (name.rfind(from, 0) == 0) {
    const std::string rest = name.substr(from.size());
    const std::size_t dash = rest.find('_');
    return "fcvt." + rest.substr(dash + 1) + "." + rest.substr(0, dash);
  }
  if (name.back() == '_') name.pop_back();
  std::replace(name.begin(), name.end(), '_', '.');
  return name;
}

const char* x(unsigned reg) {
  return kIntegerNames[reg & 31];
}
const char* f(unsigned reg) {
  return kFloatNames[reg];
}

std::string csr_name(unsigned number) {
  for (const NamedCsr& csr : kFloatCsrs) {
    if (csr.number == number) return csr.name;
  }
  for (const NamedCsr& csr : kNamedCsrs) {
    if (csr.number == number) return csr.name;
  }
  return fmt::format("0x{:x}", number);
}

// Fields of a word of 32 bits.
struct Fields {
  std::uint32_t word = 0;
  unsigned rd() const { return word >> 7 & 31; }
  unsigned rs1() const { return word >> 15 & 31; }
  unsigned rs2() const { return word >> 20 & 31; }
  unsigned rs3() const { return word >> 27; }
  unsigned funct3() const { return word >> 12 & 7; }
};

std::string rounding(unsigned mode) {
  constexpr const char* kModes[] = {",rne", ",rtz", ",rdn", ",rup", ",rmm", ",?", ",?", ""};
  return kModes[mode];
}

// Of opcode 0x53: which operands are integers, how many there are, whether it rounds.
std::string float_operands(const Fields& w, std::string_view name) {
  const auto starts = [&](std::string_view text) { return name.rfind(text, 0) == 0; };
  const bool to_integer = starts("feq") || starts("flt") || starts("fle") || starts("fclass") ||
                          starts("fcvt.w") || starts("fcvt.l") || starts("fmv.x");
  const bool from_integer = starts("fmv.w") || starts("fmv.d") || starts("fcvt.s.w") ||
                            starts("fcvt.s.l") || starts("fcvt.d.w") || starts("fcvt.d.l");
  const bool one = starts("fsqrt") || starts("fclass") || starts("fcvt") || starts("fmv");
  const bool rounds =
      starts("fadd") || starts("fsub") || starts("fmul") || starts("fdiv") || starts("fsqrt") ||
      (starts("fcvt") && name != "fcvt.d.s" && name != "fcvt.d.w" && name != "fcvt.d.wu");
  std::string text = to_integer ? x(w.rd()) : f(w.rd());
  text += fmt::format(",{}", from_integer ? x(w.rs1()) : f(w.rs1()));
  if (!one) text += fmt::format(",{}", f(w.rs2()));
  return rounds ? text + rounding(w.funct3()) : text;
}

std::string atomic_suffix(std::uint32_t word) {
  constexpr const char* kOrders[] = {"", ".rl", ".aq", ".aqrl"};
  return kOrders[word >> 25 & 3];
}

std::string operands(const Fields& w, const Decoded& d, std::uint64_t pc, bool wide,
                     std::string_view name) {
  const auto target = [&] {
    const std::uint64_t at = pc + static_cast<std::uint64_t>(std::int64_t{d.imm});
    return fmt::format("0x{:x}", wide ? at : at & 0xffffffff);
  };
  switch (w.word & 0x7f) {
    case 0x37:
    case 0x17:
      return fmt::format("{},0x{:x}", x(w.rd()), w.word >> 12);
    case 0x6f:
      return fmt::format("{},{}", x(w.rd()), target());
    case 0x67:
    case 0x03:
      return fmt::format("{},{}({})", x(w.rd()), d.imm, x(w.rs1()));
    case 0x07:
      return fmt::format("{},{}({})", f(w.rd()), d.imm, x(w.rs1()));
    case 0x63:
      return fmt::format("{},{},{}", x(w.rs1()), x(w.rs2()), target());
    case 0x23:
      return fmt::format("{},{}({})", x(w.rs2()), d.imm, x(w.rs1()));
    case 0x27:
      return fmt::format("{},{}({})", f(w.rs2()), d.imm, x(w.rs1()));
    case 0x13:
    case 0x1b: {
      const bool shift = w.funct3() % 4 == 1;
      return shift ? fmt::format("{},{},0x{:x}", x(w.rd()), x(w.rs1()), d.imm & 63)
                   : fmt::format("{},{},{}", x(w.rd()), x(w.rs1()), d.imm);
    }
    case 0x33:
    case 0x3b:
      return fmt::format("{},{},{}", x(w.rd()), x(w.rs1()), x(w.rs2()));
    case 0x2f:
      if (name.rfind("lr", 0) == 0) return fmt::format("{},({})", x(w.rd()), x(w.rs1()));
      return fmt::format("{},{},({})", x(w.rd()), x(w.rs2()), x(w.rs1()));
    case 0x73:
      if (name == "sfence.vma") return fmt::format("{},{}", x(w.rs1()), x(w.rs2()));
      if (w.funct3() == 0) return "";
      return fmt::format("{},{},{}", x(w.rd()), csr_name(static_cast<unsigned>(d.imm)),
                         w.funct3() < 4 ? std::string(x(w.rs1())) : std::to_string(w.rs1()));
    case 0x43:
    case 0x47:
    case 0x4b:
    case 0x4f:
      return fmt::format("{},{},{},{}{}", f(w.rd()), f(w.rs1()), f(w.rs2()), f(w.rs3()),
                         rounding(w.funct3()));
    case 0x53:
      return float_operands(w, name);
    default:
      return "";
  }
}

}  // namespace

std::string disassemble(std::uint32_t word, std::uint64_t pc, const HartConfig& config) {
  if ((word & 3) != 3)
    word = config.compressed ? expand(static_cast<std::uint16_t>(word), config) : 0;
  const Decoded decoded = word == 0 ? Decoded{} : decode(word, config);
  if (decoded.instruction == Instruction::illegal) return "illegal";
  const std::string name = mnemonic(decoded.instruction);
  const Fields fields{word};
  const std::string rest = operands(fields, decoded, pc, config.xlen == 64, name);
  const std::string order = (word & 0x7f) == 0x2f ? atomic_suffix(word) : "";
  return rest.empty() ? name : name + order + " " + rest;
}

}  // namespace tern::riscv

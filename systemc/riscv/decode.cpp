// SPDX-License-Identifier: Apache-2.0
#include "systemc/riscv/decode.h"

#include <array>
#include <vector>

namespace tern::riscv {

namespace {

enum class Operands : std::uint8_t {
  kNone,
  kRegisters,
  kImmediate,
  kStore,
  kBranch,
  kUpper,
  kJump,
  kShift,
  kCsr,
  kFloat,
};

enum class Needs : std::uint8_t {
  kBase,
  kBase64,
  kAtomics,
  kAtomics64,
  kSupervisor,
  kFloats,
  kFloats64,
  kDoubles,
  kDoubles64,
};

struct Row {
  Instruction instruction;
  std::uint32_t match, mask;
  Operands operands;
  Needs needs;
};

constexpr Row kRows[] = {
#define RISCV_INSTRUCTION(name, match, mask, operands, needs) \
  {Instruction::name, match, mask, Operands::operands, Needs::needs},
#include "systemc/riscv/instructions.def"
#undef RISCV_INSTRUCTION
};

// Rows by opcode.
const std::array<std::vector<Row>, 128>& rows_by_opcode() {
  static const std::array<std::vector<Row>, 128> table = [] {
    std::array<std::vector<Row>, 128> rows;
    for (const Row& row : kRows) rows[row.match & 0x7f].push_back(row);
    return rows;
  }();
  return table;
}

bool has(Needs needs, const HartConfig& config) {
  const bool wide = config.xlen == 64;
  switch (needs) {
    case Needs::kBase:
      return true;
    case Needs::kBase64:
      return wide;
    case Needs::kAtomics:
      return config.atomics;
    case Needs::kAtomics64:
      return config.atomics && wide;
    case Needs::kSupervisor:
      return config.supervisor;
    case Needs::kFloats:
      return config.floats;
    case Needs::kFloats64:
      return config.floats && wide;
    case Needs::kDoubles:
      return config.doubles;
    case Needs::kDoubles64:
      return config.doubles && wide;
  }
  return false;
}

std::int32_t bits(std::uint32_t word, unsigned high, unsigned low) {
  return static_cast<std::int32_t>((word >> low) & ((2u << (high - low)) - 1));
}

std::int32_t signed_top(std::uint32_t word, unsigned low) {
  return static_cast<std::int32_t>(word) >> low;
}

std::int32_t immediate(std::uint32_t word, Operands operands) {
  switch (operands) {
    case Operands::kImmediate:
      return signed_top(word, 20);
    case Operands::kStore:
      return (signed_top(word, 25) * 32) | bits(word, 11, 7);
    case Operands::kBranch:
      return (signed_top(word, 31) * 4096) | bits(word, 7, 7) << 11 | bits(word, 30, 25) << 5 |
             bits(word, 11, 8) << 1;
    case Operands::kUpper:
      return static_cast<std::int32_t>(word & 0xfffff000);
    case Operands::kJump:
      return (signed_top(word, 31) * 1048576) | bits(word, 19, 12) << 12 |
             bits(word, 20, 20) << 11 | bits(word, 30, 21) << 1;
    case Operands::kShift:
      return bits(word, 25, 20);
    case Operands::kCsr:
      return bits(word, 31, 20);
    case Operands::kFloat:
      return bits(word, 14, 12) | bits(word, 31, 27) << 8;
    default:
      return 0;
  }
}

}  // namespace

Decoded decode(std::uint32_t word, const HartConfig& config) {
  for (const Row& row : rows_by_opcode()[word & 0x7f]) {
    if ((word & row.mask) != row.match || !has(row.needs, config)) continue;
    if (row.operands == Operands::kShift && config.xlen == 32 && bits(word, 25, 25) != 0) break;
    const auto rd = static_cast<std::uint8_t>(bits(word, 11, 7));
    return {row.instruction, rd == 0 ? kSink : rd, static_cast<std::uint8_t>(bits(word, 19, 15)),
            static_cast<std::uint8_t>(bits(word, 24, 20)), immediate(word, row.operands)};
  }
  Decoded illegal;
  illegal.imm = static_cast<std::int32_t>(word);
  return illegal;
}

}  // namespace tern::riscv

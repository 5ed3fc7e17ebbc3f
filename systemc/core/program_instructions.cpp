// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/program_instructions.h"

#include <fmt/format.h>

#include <cstddef>

#include "systemc/core/core_services.h"
#include "systemc/engines/instruction/field_checker.h"
#include "systemc/engines/instruction/operand_text.h"

namespace tern {

namespace {

using CustomOp = tern_instr_custom_op_t;

void check_custom_op(const CheckInput& input) {
  constexpr std::uint32_t kMaxBytes = 1 << 24;
  const FieldChecker c(input);
  const CustomOp& in = c.instruction().custom_op;
  c.field(in.code_bytes >= 1 && in.code_bytes <= kMaxBytes, offsetof(CustomOp, code_bytes));
  c.field(in.cores != 0, offsetof(CustomOp, cores));
  c.zeros(offsetof(CustomOp, reserved), offsetof(CustomOp, args));
  c.zeros_from(offsetof(CustomOp, args) + sizeof in.args);
  c.no_extension();
}

std::string describe_custom_op(const Operation& operation, unsigned index) {
  const auto& in = operation.instruction.custom_op;
  return fmt::format(R"({{"index":{},"processors":"{:#04x}","file_bytes":{}}})", index, in.cores,
                     in.code_bytes);
}

ServiceOutcome serve_custom_op(CoreServices& services, unsigned, const tern_instruction_t& in) {
  return services.run_program(in.custom_op);
}

constexpr InstructionRow custom_op() {
  InstructionRow row{TERN_OPCODE_CUSTOM_OP, check_custom_op, describe_custom_op};
  row.serve = serve_custom_op;
  return row;
}

void check_not_modelled(const CheckInput& input) {
  FieldChecker::fail(TERN_ERROR_NOT_MODELLED, input.operation.opcode());
}

constexpr InstructionRow kRows[] = {
    custom_op(),
    {TERN_OPCODE_SENDRECV, check_not_modelled, describe_index},
    {TERN_OPCODE_CORE_BARRIER, check_not_modelled, describe_index},
};

}  // namespace

InstructionRows program_instructions() {
  return kRows;
}

}  // namespace tern

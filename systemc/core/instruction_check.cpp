// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/instruction_check.h"

#include <cstddef>

#include "systemc/core/instruction_info.h"
#include "systemc/core/instruction_registry.h"
#include "systemc/engines/instruction/field_checker.h"
#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern {

namespace {

static_assert(CoreLimits().psum_bank_bytes == TensorShape().bank_columns * sizeof(float));

void check_header(const CheckInput& input) {
  const FieldChecker c(input);
  const tern_header_t& header = c.instruction().header;
  c.field(header.wait_cond <= TERN_WAIT_COND_EVENT, offsetof(tern_header_t, wait_cond));
  c.field(header.wait_cond != TERN_WAIT_COND_EVENT || header.wait_value <= 1,
          offsetof(tern_header_t, wait_value));
  c.field(header.upd_op <= TERN_UPD_OP_CLEAR_EVENT, offsetof(tern_header_t, upd_op));
  c.field(header.upd_when <= TERN_UPD_WHEN_READ, offsetof(tern_header_t, upd_when));
}

}  // namespace

std::optional<InstructionFault> check_instruction(const Operation& operation, unsigned queue,
                                                  const CoreLimits& limits) {
  const unsigned opcode = operation.opcode();
  if ((instruction_queues(opcode) >> queue & 1) == 0)
    return InstructionFault{TERN_ERROR_ILLEGAL_OPCODE, opcode};
  const CheckInput input{operation, queue, limits};
  try {
    check_header(input);
    instruction_table().find(opcode)->check(input);
  } catch (const InstructionFault& fault) {
    return fault;
  }
  return std::nullopt;
}

}  // namespace tern

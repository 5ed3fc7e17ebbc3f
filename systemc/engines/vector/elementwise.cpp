// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/elementwise.h"

#include <stdexcept>
#include <utility>

#include "systemc/engines/vector/instruction_families.h"
#include "systemc/engines/vector/mx_convert.h"
#include "systemc/engines/vector/special_instructions.h"

namespace tern {

Elementwise::Elementwise(unsigned queue, SbufAccess sbuf, PsumPort* psum,
                         std::unique_ptr<ExpUnit> exp, DescribeIndex describe) {
  unit_.queue = queue;
  unit_.memory = {sbuf, psum};
  unit_.random = RandomStates::of_queue(queue);
  unit_.exp = std::move(exp);
  unit_.describe = std::move(describe);
}

void Elementwise::run(const Operation& operation, unsigned index) {
  unit_.index = index;
  const auto& in = operation.instruction.elementwise;
  switch (operation.opcode()) {
    case TERN_OPCODE_TENSOR_COPY:
      return run_tensor_copy(unit_, operation);
    case TERN_OPCODE_TENSOR_TENSOR:
      return run_tensor_tensor(unit_, operation);
    case TERN_OPCODE_TENSOR_SCALAR:
      return run_tensor_scalar(unit_, operation);
    case TERN_OPCODE_SCALAR_TENSOR_TENSOR:
      return run_scalar_tensor_tensor(unit_, operation);
    case TERN_OPCODE_MEMSET:
      return run_memset(unit_, operation);
    case TERN_OPCODE_RECIPROCAL:
      return run_reciprocal(unit_, operation);
    case TERN_OPCODE_TENSOR_REDUCE:
      return run_tensor_reduce(unit_, operation);
    case TERN_OPCODE_TENSOR_TENSOR_SCAN:
      return run_tensor_tensor_scan(unit_, operation);
    case TERN_OPCODE_TENSOR_SCALAR_CUMULATIVE:
      return run_tensor_scalar_cumulative(unit_, operation);
    case TERN_OPCODE_TENSOR_COPY_PREDICATED:
      return run_tensor_copy_predicated(unit_, operation);
    case TERN_OPCODE_SELECT_REDUCE:
      return run_select_reduce(unit_, operation);
    case TERN_OPCODE_RANGE_SELECT:
      return run_range_select(unit_, operation);
    case TERN_OPCODE_EXPONENTIAL:
      return run_exponential(unit_, operation);
    case TERN_OPCODE_ACTIVATION:
      return run_activation(unit_, operation);
    case TERN_OPCODE_ACTIVATE2:
      return run_activate2(unit_, operation);
    case TERN_OPCODE_QUANTIZE_MX:
      return quantize_mx(in, unit_.memory.sbuf);
    case TERN_OPCODE_DEQUANTIZE_MX:
      return dequantize_mx(in, unit_.memory.sbuf);
    default:
      if (run_special(unit_, operation)) return;
      throw std::logic_error("Elementwise: an instruction that the checks should have refused");
  }
}

}  // namespace tern

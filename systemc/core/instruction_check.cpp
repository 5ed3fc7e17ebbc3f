// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/instruction_check.h"

#include <cstddef>

#include "systemc/core/control_check.h"
#include "systemc/core/dma_check.h"
#include "systemc/core/elementwise_check.h"
#include "systemc/core/field_checker.h"
#include "systemc/core/instruction_info.h"
#include "systemc/core/mx_check.h"
#include "systemc/core/special_check.h"
#include "systemc/core/tensor_check.h"

namespace tern {

namespace {

class Checker : public FieldChecker {
 public:
  using FieldChecker::FieldChecker;

  void header() const;
  void none() const { zeros_from(sizeof(tern_header_t)); }
  void custom_op() const;
};

void Checker::header() const {
  const tern_header_t& header = in_.header;
  field(header.wait_cond <= TERN_WAIT_COND_LT, offsetof(tern_header_t, wait_cond));
  field(header.upd_op <= TERN_UPD_OP_WR_IMM, offsetof(tern_header_t, upd_op));
  field(header.upd_when <= TERN_UPD_WHEN_READ, offsetof(tern_header_t, upd_when));
}

void Checker::custom_op() const {
  constexpr std::uint32_t kMaxBytes = 1 << 24;
  const tern_instr_custom_op_t& in = in_.custom_op;
  field(in.code_bytes >= 1 && in.code_bytes <= kMaxBytes,
        offsetof(tern_instr_custom_op_t, code_bytes));
  field(in.cores != 0, offsetof(tern_instr_custom_op_t, cores));
  zeros(offsetof(tern_instr_custom_op_t, reserved), offsetof(tern_instr_custom_op_t, args));
  zeros_from(offsetof(tern_instr_custom_op_t, args) + sizeof in.args);
}

}  // namespace

std::optional<InstructionFault> check_instruction(const Operation& operation, unsigned queue,
                                                  const CoreLimits& limits) {
  const unsigned opcode = operation.opcode();
  if ((instruction_queues(opcode) >> queue & 1) == 0)
    return InstructionFault{TERN_ERROR_ILLEGAL_OPCODE, opcode};
  const Checker checker(operation, limits);
  const ControlChecker control(operation, limits);
  const DmaChecker dma(operation, limits);
  const TensorChecker tensor(operation, limits);
  const MxChecker mx(operation, limits);
  const ElementwiseChecker elementwise(operation, queue, limits);
  try {
    checker.header();
    switch (opcode) {
      case TERN_OPCODE_NOP:
      case TERN_OPCODE_HALT:
        checker.none();
        checker.no_extension();
        break;
      case TERN_OPCODE_DMA_TRIGGER:
        dma.trigger();
        dma.no_extension();
        break;
      case TERN_OPCODE_DMA_COPY:
        dma.copy();
        dma.no_extension();
        break;
      case TERN_OPCODE_DMA_INDIRECT:
        dma.indirect();
        dma.no_extension();
        break;
      case TERN_OPCODE_EXTEND:
        control.extend();
        break;
      case TERN_OPCODE_REGISTER_ALU:
        control.register_alu();
        break;
      case TERN_OPCODE_REGISTER_LOAD:
        control.register_load();
        break;
      case TERN_OPCODE_REGISTER_STORE:
        control.register_store();
        break;
      case TERN_OPCODE_BRANCH:
        control.branch();
        break;
      case TERN_OPCODE_LOOP:
        control.loop();
        break;
      case TERN_OPCODE_LOAD_STATIONARY:
        tensor.extension();
        tensor.load_stationary();
        break;
      case TERN_OPCODE_MULTIPLY_MOVING:
        tensor.extension();
        tensor.multiply_moving();
        break;
      case TERN_OPCODE_TRANSPOSE:
        tensor.extension();
        tensor.transpose();
        break;
      case TERN_OPCODE_QUANTIZE_MX:
        mx.no_extension();
        mx.quantize();
        break;
      case TERN_OPCODE_DEQUANTIZE_MX:
        mx.no_extension();
        mx.dequantize();
        break;
      case TERN_OPCODE_EXPONENTIAL:
        elementwise.exponential();
        break;
      case TERN_OPCODE_ACTIVATION:
        elementwise.activation();
        break;
      case TERN_OPCODE_ACTIVATE2:
        elementwise.activate2();
        break;
      case TERN_OPCODE_TENSOR_COPY:
        elementwise.tensor_copy();
        break;
      case TERN_OPCODE_TENSOR_TENSOR:
        elementwise.tensor_tensor();
        break;
      case TERN_OPCODE_TENSOR_SCALAR:
        elementwise.tensor_scalar();
        break;
      case TERN_OPCODE_SCALAR_TENSOR_TENSOR:
        elementwise.scalar_tensor_tensor();
        break;
      case TERN_OPCODE_TENSOR_REDUCE:
        elementwise.tensor_reduce();
        break;
      case TERN_OPCODE_TENSOR_TENSOR_SCAN:
        elementwise.tensor_tensor_scan();
        break;
      case TERN_OPCODE_TENSOR_SCALAR_CUMULATIVE:
        elementwise.tensor_scalar_cumulative();
        break;
      case TERN_OPCODE_TENSOR_COPY_PREDICATED:
        elementwise.tensor_copy_predicated();
        break;
      case TERN_OPCODE_SELECT_REDUCE:
        elementwise.select_reduce();
        break;
      case TERN_OPCODE_RANGE_SELECT:
        elementwise.range_select();
        break;
      case TERN_OPCODE_MEMSET:
        elementwise.memset();
        break;
      case TERN_OPCODE_RECIPROCAL:
        elementwise.reciprocal();
        break;
      case TERN_OPCODE_CUSTOM_OP:
        checker.custom_op();
        checker.no_extension();
        break;
      default:
        if (!SpecialChecker(operation, queue, limits).check()) {
          return InstructionFault{TERN_ERROR_NOT_MODELLED, opcode};
        }
    }
  } catch (const InstructionFault& fault) {
    return fault;
  }
  return std::nullopt;
}

}  // namespace tern

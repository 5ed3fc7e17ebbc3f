// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/instruction_activity.h"

#include <algorithm>

#include "sw/numerics/dtype.h"
#include "sw/spec/access_pattern.h"
#include "sw/spec/generated/tensor_shapes.h"
#include "systemc/engines/instruction/instruction_set.h"
#include "systemc/engines/tensor/tensor_command.h"
#include "systemc/engines/tensor/tensor_geometry.h"

namespace tern {

namespace {

using trace::Activity;

Activity tensor_activity(const tern_instruction_t& instruction) {
  const TensorCommand command = tensor_command(instruction, 0, TERN_TENSOR_BANK_COLUMNS);
  const std::uint64_t elements = pattern_elements(command) * command.rows;
  const std::uint64_t cells = std::uint64_t{command.rows} * command.cols;
  const std::uint64_t read = elements * operand_planes(command) * element_bytes(command.type);
  Activity activity;
  activity.sbuf_bytes = uses_scales(command) ? read + elements / 8 : read;
  if (command.op != TensorOp::kMultiplyMoving)
    activity.weights = cells * products_per_cell(command.mode);
  if (command.op == TensorOp::kLoadStationary) return activity;
  const std::uint64_t result = written_columns(command) * command.cols * result_slots(command) *
                               (writes_halves(command) ? 2 : 4);
  activity.psum_bytes = command.accumulate ? 2 * result : result;
  if (command.op == TensorOp::kTranspose) return activity;
  const std::uint64_t products = cells * moving_columns(command) * products_per_cell(command.mode);
  (uses_mx_array(command) ? activity.array_x : activity.array_a) = products;
  return activity;
}

// Elements of a partition.
std::uint64_t add_operand(const tern_ap_t& raw, const tern_outer_t& outer, unsigned dtype,
                          unsigned partitions, Activity* activity) {
  const auto type = numerics::dtype_from_code(dtype);
  if (!type) return 0;  // not used
  const AccessPattern pattern(raw, outer);
  (pattern.psum ? activity->psum_bytes : activity->sbuf_bytes) +=
      pattern.count() * partitions * numerics::dtype_size(*type);
  return pattern.count();
}

Activity elementwise_activity(const Operation& operation) {
  const tern_instr_elementwise_t& in = operation.instruction.elementwise;
  const tern_instr_extend_t& outer = operation.extension;
  Activity activity;
  const auto add = [&](const tern_ap_t& raw, const tern_outer_t& dimensions, unsigned dtype) {
    return add_operand(raw, dimensions, dtype, in.partitions, &activity);
  };
  const std::uint64_t read = add(in.src0, outer.src0_outer, in.src0_dtype);
  const std::uint64_t written = add(in.dst, outer.dst_outer, in.dst_dtype);
  add(in.src1, outer.src1_outer, in.src1_dtype);
  const std::uint64_t elements = std::max(read, written) * in.partitions;
  const bool exponential = operation.opcode() == TERN_OPCODE_EXPONENTIAL;
  (exponential ? activity.exponentials : activity.elements) = elements;
  return activity;
}

Activity affine_activity(const Operation& operation) {
  const tern_instr_affine_t& in = operation.instruction.affine;
  const tern_instr_extend_t& outer = operation.extension;
  Activity activity;
  activity.elements =
      in.partitions * add_operand(in.dst, outer.dst_outer, in.dst_dtype, in.partitions, &activity);
  add_operand(in.src, outer.src0_outer, in.src_dtype, in.partitions, &activity);
  return activity;
}

Activity shuffle_activity(const Operation& operation) {
  const tern_instr_shuffle_t& in = operation.instruction.shuffle;
  Activity activity;
  for (const std::uint32_t address : {in.src, in.dst}) {
    add_operand({address, in.num, 1, 1, 0}, {}, in.dtype, in.partitions, &activity);
  }
  activity.elements = std::uint64_t{in.num} * in.partitions;
  return activity;
}

}  // namespace

Activity instruction_activity(const Operation& operation) {
  switch (instruction_spec(operation.opcode()).body) {
    case InstructionBody::load_stationary:
    case InstructionBody::multiply_moving:
    case InstructionBody::transpose:
      return tensor_activity(operation.instruction);
    case InstructionBody::elementwise:
      return elementwise_activity(operation);
    case InstructionBody::affine:
      return affine_activity(operation);
    case InstructionBody::shuffle:
      return shuffle_activity(operation);
    default:
      return {};
  }
}

}  // namespace tern

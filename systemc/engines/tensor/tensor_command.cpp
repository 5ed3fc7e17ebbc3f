// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/tensor_command.h"

#include "sw/spec/access_pattern.h"
#include "sw/spec/generated/formats.h"
#include "systemc/engines/instruction/instruction_table.h"
#include "systemc/engines/tensor/tensor_instructions.h"

namespace tern {

namespace {

// Bank and column of a PSUM address, in elements of `size` bytes.
void set_destination(TensorCommand* command, const AccessPattern& dst, unsigned size,
                     unsigned bank_columns) {
  const unsigned columns = bank_columns * 4 / size;
  command->psum_bank = dst.byte / size / columns;
  command->psum_column = dst.byte / size % columns;
}

// The fields that two or all three instructions have in common, by name.
template <typename Instruction>
TensorCommand operand(const Instruction& in, TensorOp op) {
  const AccessPattern src(in.src);
  TensorCommand command;
  command.op = op;
  command.type = static_cast<TensorType>(in.dtype);
  command.row_start = src.partition;
  command.rows = in.rows;
  command.cols = in.cols;
  command.sbuf_address = src.byte;
  command.num0 = src.num0;
  command.step0 = static_cast<int>(src.step0);
  command.num1 = src.num1;
  command.step1 = static_cast<int>(src.step1);
  return command;
}

template <typename Instruction>
void set_mode(TensorCommand* command, const Instruction& in) {
  command->mode = static_cast<TensorMode>(in.mode);
  command->high_half = in.half != 0;
  command->sparsity = static_cast<TensorSparsity>(in.sparsity);
  command->tile_rows = static_cast<TensorTileSize>(in.tile_rows);
  command->tile_cols = static_cast<TensorTileSize>(in.tile_cols);
  command->col_start = in.col_start;
  command->plane = in.plane;
  command->aux_address = in.aux;
  command->scale_offset = in.scale_offset;
}

}  // namespace

TensorCommand load_command(const tern_instruction_t& instruction, unsigned) {
  const tern_instr_load_stationary_t& in = instruction.load_stationary;
  TensorCommand command = operand(in, TensorOp::kLoadStationary);
  set_mode(&command, in);
  return command;
}

TensorCommand multiply_command(const tern_instruction_t& instruction, unsigned bank_columns) {
  const tern_instr_multiply_moving_t& in = instruction.multiply_moving;
  TensorCommand command = operand(in, TensorOp::kMultiplyMoving);
  set_mode(&command, in);
  command.accumulate = in.accumulate != 0;
  command.bf16_result = in.dst_dtype == TERN_DTYPE_BF16;
  command.stochastic = in.rounding == TERN_ROUNDING_STOCHASTIC;
  set_destination(&command, AccessPattern(in.dst), command.bf16_result ? 2 : 4, bank_columns);
  return command;
}

TensorCommand transpose_command(const tern_instruction_t& instruction, unsigned bank_columns) {
  const tern_instr_transpose_t& in = instruction.transpose;
  const bool words = in.dtype == TERN_DTYPE_FP32 || in.dtype == TERN_DTYPE_TF32;
  TensorCommand command = operand(in, TensorOp::kTranspose);
  set_destination(&command, AccessPattern(in.dst), words ? 4 : 2, bank_columns);
  return command;
}

TensorCommand tensor_command(const tern_instruction_t& instruction, std::uint32_t number,
                             unsigned bank_columns) {
  static const InstructionTable table({tensor_instructions()});
  const InstructionRow* row = table.find(instruction.header.opcode);
  TensorCommand command = row->command(instruction, bank_columns);
  command.tag = number & 0xFF;
  return command;
}

}  // namespace tern

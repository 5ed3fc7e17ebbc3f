// SPDX-License-Identifier: Apache-2.0
// Element-wise instructions of two operators, selections, scans.
#include "sw/nki/lower/chip_views.h"
#include "sw/nki/lower/lowering.h"

namespace tern::nki {

namespace {

// None: no reduction, or a fresh one if there is a column.
std::optional<ReduceCommand> command_of(const Instruction& instruction) {
  const ReduceCommand command = instruction.options.reduce_command;
  if (command == ReduceCommand::kIdle) return std::nullopt;
  return command;
}

}  // namespace

void Lowering::tensor_copy_predicated(const Instruction& instruction) {
  builder_.tensor_copy_predicated(
      tile_view(instruction.at("dst")), tile_view(instruction.at("src")),
      tile_view(instruction.at("predicate")), instruction.options.reverse_predicate, where_);
}

void Lowering::scalar_tensor_tensor(const Instruction& instruction) {
  const Options& options = instruction.options;
  builder_.scalar_tensor_tensor(tile_view(instruction.at("dst")), tile_view(instruction.at("data")),
                                options.op0, scalar(instruction, "operand0", options.value0),
                                options.op1, tile_view(instruction.at("operand1")),
                                options.reverse0, options.reverse1, where_);
}

void Lowering::tensor_tensor_scan(const Instruction& instruction) {
  const Options& options = instruction.options;
  builder_.tensor_tensor_scan(tile_view(instruction.at("dst")), tile_view(instruction.at("data0")),
                              options.op0, tile_view(instruction.at("data1")), options.op1,
                              scalar(instruction, "initial", options.value0), options.reverse0,
                              options.reverse1, where_);
}

void Lowering::tensor_scalar_cumulative(const Instruction& instruction) {
  const Options& options = instruction.options;
  builder_.tensor_scalar_cumulative(tile_view(instruction.at("dst")),
                                    tile_view(instruction.at("src")), options.op0,
                                    scalar(instruction, "imm0", options.value0), options.op1,
                                    scalar(instruction, "imm1", options.value1), options.reverse0,
                                    options.reduce_command, where_);
}

void Lowering::exponential(const Instruction& instruction) {
  builder_.exponential(tile_view(instruction.at("dst")), tile_view(instruction.at("src")),
                       scalar(instruction, "max_value", instruction.options.value0),
                       reduction(instruction), where_);
}

void Lowering::activate2(const Instruction& instruction) {
  const Options& options = instruction.options;
  kernels::ScalarOptions with;
  with.engine = Engine::kScalar;
  with.reverse0 = options.reverse0;
  with.reverse1 = options.reverse1;
  with.reduce = reduction(instruction);
  builder_.activate2(tile_view(instruction.at("dst")), tile_view(instruction.at("data")),
                     options.op0, scalar(instruction, "imm0", options.value0), options.op1,
                     scalar(instruction, "imm1", options.value1), with, where_);
}

void Lowering::select_reduce(const Instruction& instruction) {
  const View* column = instruction.find("reduce_res");
  std::optional<kernels::TileView> largest;
  if (column != nullptr) largest = tile_view(*column);
  builder_.select_reduce(tile_view(instruction.at("dst")), tile_view(instruction.at("on_true")),
                         tile_view(instruction.at("predicate")),
                         scalar(instruction, "on_false", instruction.options.value0), largest,
                         instruction.options.reverse_predicate, command_of(instruction), where_);
}

void Lowering::range_select(const Instruction& instruction) {
  const Options& options = instruction.options;
  const View* column = instruction.find("reduce_res");
  std::optional<kernels::TileView> largest;
  if (column != nullptr) largest = tile_view(*column);
  builder_.range_select(tile_view(instruction.at("dst")), tile_view(instruction.at("on_true_tile")),
                        options.op0, scalar(instruction, "bound0", options.value0), options.op1,
                        scalar(instruction, "bound1", options.value1),
                        static_cast<float>(options.value2), largest, command_of(instruction),
                        where_);
}

}  // namespace tern::nki

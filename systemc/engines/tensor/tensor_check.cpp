// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/tensor_check.h"

#include <algorithm>

#include "sw/spec/tensor_modes.h"
#include "systemc/engines/tensor/tensor_geometry.h"

namespace tern {

namespace {

unsigned code_of(TensorType type) {
  return static_cast<unsigned>(type);
}

bool type_fits_mode(const TensorCommand& command) {
  if (command.mode == TensorMode::kSparse &&
      static_cast<unsigned>(command.sparsity) >= TERN_SPARSITY_COUNT) {
    return false;
  }
  return tensor_mode_takes(static_cast<unsigned>(command.mode), code_of(command.type));
}

bool tile_exists(const TensorCommand& command) {
  const auto mode = static_cast<unsigned>(command.mode);
  return static_cast<unsigned>(command.tile_rows) <= tensor_mode_tile_rows(mode) &&
         static_cast<unsigned>(command.tile_cols) <= tensor_mode_tile_cols(mode);
}

bool operation_exists(const TensorCommand& command) {
  const bool whole =
      command.tile_rows == TensorTileSize::kWhole && command.tile_cols == TensorTileSize::kWhole;
  switch (command.op) {
    case TensorOp::kTranspose:
      return command.mode == TensorMode::kDense && whole && !command.accumulate &&
             !command.stochastic && tensor_transpose_takes(code_of(command.type));
    case TensorOp::kMultiplyMoving:
      if (command.stochastic && !command.bf16_result) return false;
      break;
    case TensorOp::kLoadStationary:
      break;
    default:
      return false;
  }
  return type_fits_mode(command) && tile_exists(command);
}

// One direction of a tile in an array of `whole` rows or columns.
bool span_inside(unsigned start, unsigned count, unsigned whole, TensorTileSize size) {
  const unsigned part = size == TensorTileSize::kWhole  ? whole
                        : size == TensorTileSize::kHalf ? whole / 2
                                                        : tile_quarter(whole);
  const unsigned grain = size == TensorTileSize::kHalf ? whole / 2 : tile_quarter(whole);
  return count >= 1 && count <= part && start < whole && count <= whole - start &&
         start % std::max(grain, 1u) == 0;
}

// Rows and starts of rows are multiples of this.
unsigned row_grain(const TensorCommand& command) {
  return kTensorModes[static_cast<unsigned>(command.mode)].row_grain;
}

bool tile_inside(const TensorShape& shape, const TensorCommand& command) {
  if (!span_inside(command.row_start, command.rows, shape.rows, command.tile_rows) ||
      !span_inside(command.col_start, command.cols, shape.cols, command.tile_cols)) {
    return false;
  }
  if (command.tile_cols == TensorTileSize::kWhole && command.col_start != 0) return false;
  if (command.op == TensorOp::kTranspose) return true;
  const unsigned grain = row_grain(command);
  if (command.row_start % grain != 0 || command.rows % grain != 0) return false;
  return command.mode != TensorMode::kSparse ||
         command.rows % sparse_pattern(command.sparsity).kept == 0;
}

bool element_count_fits(const TensorShape& shape, const TensorCommand& command) {
  const std::uint64_t columns = pattern_elements(command);
  if (command.op != TensorOp::kMultiplyMoving) return columns == command.cols;
  return columns >= 1 && columns <= std::uint64_t{shape.max_moving} * (command.bf16_result ? 2 : 1);
}

bool destination_inside(const TensorShape& shape, const TensorCommand& command) {
  const unsigned elements = elements_of_bank(shape, command);
  const unsigned banks = result_slots(command) > 1 ? banks_between_slots(shape) : shape.psum_banks;
  return command.psum_bank < shape.psum_banks && command.psum_column < elements &&
         first_element(shape, command) + written_columns(command) <=
             std::uint64_t{banks} * elements;
}

bool aligned(const TensorCommand& command) {
  const auto plane = static_cast<std::uint32_t>(command.plane);
  if (command.sbuf_address % element_bytes(command.type) != 0) return false;
  if (command.op != TensorOp::kMultiplyMoving) {
    // Only dense loads may take one column a cycle.
    if (command.mode != TensorMode::kDense && !loads_groups(command)) return false;
    return command.mode != TensorMode::kDoubleRow ||
           plane % TERN_TENSOR_ALIGN_STATIONARY_PLANE == 0;
  }
  const bool planes = command.mode == TensorMode::kSparse || command.mode == TensorMode::kDoubleRow;
  return !planes || plane % TERN_TENSOR_ALIGN_MOVING_PLANE == 0;
}

bool inside(std::int64_t address, std::int64_t count, const TensorShape& shape) {
  return address >= 0 && address + count <= std::int64_t{shape.sbuf_bytes};
}

// All elements of a pattern, from its corners.
bool pattern_inside(const TensorShape& shape, const TensorCommand& command, std::int64_t address,
                    std::int64_t size) {
  const std::int64_t span0 = (std::int64_t{command.num0} - 1) * command.step0;
  const std::int64_t span1 = (std::int64_t{command.num1} - 1) * command.step1;
  const std::int64_t low = std::min<std::int64_t>(span0, 0) + std::min<std::int64_t>(span1, 0);
  const std::int64_t high = std::max<std::int64_t>(span0, 0) + std::max<std::int64_t>(span1, 0);
  return address + size * low >= 0 && inside(address + size * high, size, shape);
}

bool operand_inside(const TensorShape& shape, const TensorCommand& command) {
  const std::int64_t size = element_bytes(command.type), address = command.sbuf_address;
  for (const unsigned plane : {0u, operand_planes(command) - 1}) {
    const std::int64_t start = address + std::int64_t{plane} * command.plane;
    if (!pattern_inside(shape, command, start, size)) return false;
  }
  return true;
}

bool scales_inside(const TensorShape& shape, const TensorCommand& command) {
  const std::int64_t address = command.aux_address;
  const bool load = command.op == TensorOp::kLoadStationary;
  if (command.op == TensorOp::kTranspose) return true;
  if (uses_scales(command)) {
    if (command.scale_offset > 12 || command.scale_offset % 4 != 0) return false;
    return (!load || address % TERN_TENSOR_ALIGN_SCALES == 0) &&
           pattern_inside(shape, command, address, 1);
  }
  if (load && command.mode == TensorMode::kSparse) {
    return address % TERN_TENSOR_ALIGN_TAGS == 0 &&
           inside(address, 2 * static_cast<std::int64_t>(load_cycles(command)), shape);
  }
  return true;
}

}  // namespace

TensorStatusCode check_tensor_command(const TensorShape& shape, const TensorCommand& command,
                                      const TensorRecords& records) {
  const bool multiply = command.op == TensorOp::kMultiplyMoving;
  if (!operation_exists(command)) return TensorStatusCode::kBadOperation;
  if (!tile_inside(shape, command)) return TensorStatusCode::kBadTile;
  if (!element_count_fits(shape, command)) return TensorStatusCode::kBadMoving;
  if (command.op != TensorOp::kLoadStationary && !destination_inside(shape, command)) {
    return TensorStatusCode::kBadPsum;
  }
  if (!aligned(command)) return TensorStatusCode::kBadAlignment;
  if (multiply && records.find(shape, command) == nullptr) return TensorStatusCode::kNoStationary;
  if (!operand_inside(shape, command)) return TensorStatusCode::kBadAddress;
  if (!scales_inside(shape, command)) return TensorStatusCode::kBadScale;
  return TensorStatusCode::kOk;
}

}  // namespace tern

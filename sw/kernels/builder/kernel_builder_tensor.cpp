// SPDX-License-Identifier: Apache-2.0
// The instructions of the tensor queue.

#include "sw/base/user_error.h"
#include "sw/kernels/builder/builder_products.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/builder/program/encoding.h"
#include "sw/kernels/builder/tensor/operand_checks.h"

namespace tern::kernels {

namespace {

constexpr unsigned kQuadSlots = 4;
constexpr std::uint32_t kQuadSlotBytes = kPsumPartitionBytes / kQuadSlots;

bool has_planes(TensorMode mode) {
  return mode == TensorMode::kDoubleRow || mode == TensorMode::kSparse;
}

bool has_scales(TensorMode mode) {
  return mode == TensorMode::kMx || mode == TensorMode::kQuad;
}

ArrayTile tile_or_whole(const std::optional<ArrayTile>& tile, const TensorOperand& operand) {
  if (tile) return *tile;
  ArrayTile whole;
  whole.row = operand.data.partition;
  return whole;
}

std::uint8_t size_code(unsigned size) {
  if (size == 32) return TERN_TILE_SIZE_QUARTER;
  return size == 64 ? TERN_TILE_SIZE_HALF : TERN_TILE_SIZE_WHOLE;
}

// The fields that load_stationary and multiply_moving have in common, by name.
template <typename Fields>
void encode(const TensorOperand& operand, const ArrayTile& tile, Fields* fields) {
  const TileView& data = operand.data;
  fields->src = pattern(data);
  if (has_planes(operand.mode)) {
    const auto size = static_cast<std::int32_t>(numerics::dtype_size(data.dtype));
    fields->src.num1 = 1;
    fields->src.step1 = 0;
    fields->plane = data.step1 * size;
  }
  fields->dtype = code(data.dtype);
  fields->rows = static_cast<std::uint8_t>(data.partitions);
  fields->mode = static_cast<std::uint8_t>(operand.mode);
  fields->half = static_cast<std::uint8_t>(operand.half);
  if (operand.mode == TensorMode::kSparse) {
    fields->sparsity = static_cast<std::uint8_t>(operand.sparsity);
  }
  fields->tile_rows = size_code(tile.rows);
  fields->tile_cols = size_code(tile.columns);
  fields->col_start = static_cast<std::uint8_t>(tile.column);
  fields->scale_offset = static_cast<std::uint8_t>(operand.scale_offset);
  if (operand.aux) fields->aux = operand.aux->byte;
}

// A dense operand with as few dimensions as its pattern allows; planes are dimensions.
TensorOperand folded(const TensorOperand& operand) {
  TensorOperand result = operand;
  if (operand.mode == TensorMode::kDense) result.data = folded(operand.data);
  return result;
}

}  // namespace

// What an operand reads: its elements, and the tags or the four scale partitions of each quadrant.
std::vector<HazardMap::Access> ProductCalls::accesses_of(const TensorOperand& operand) const {
  std::vector<HazardMap::Access> accesses = {access_of(operand.data, false)};
  if (!operand.aux) return accesses;
  if (!has_scales(operand.mode)) {
    accesses.push_back(access_of(*operand.aux, false));
    return accesses;
  }
  for (unsigned quadrant = 0; quadrant < operand.data.partitions; quadrant += 32) {
    TileView scales = *operand.aux;
    scales.partition += quadrant + operand.scale_offset;
    scales.partitions = 4;
    accesses.push_back(access_of(scales, false));
  }
  return accesses;
}

void ProductCalls::load_stationary(const TensorOperand& operand, std::optional<ArrayTile> tile,
                                   SourceLine where) {
  const char* name = "load_stationary";
  const TensorOperand stationary = folded(operand);
  check_view(name, stationary.data, false, "stationary", where);
  const ArrayTile part = tile_or_whole(tile, stationary);
  const OperandChecks checks(chip_, where, name);
  checks.stationary(stationary);
  checks.tile(stationary, part);
  require_columns(name, stationary, part, where);
  if (stationary.aux) check_view(name, *stationary.aux, false, "scales or tags", where);

  tern_instruction_t instruction{};
  instruction.header.opcode = TERN_OPCODE_LOAD_STATIONARY;
  auto& fields = instruction.load_stationary;
  encode(stationary, part, &fields);
  if (stationary.mode != TensorMode::kDense) {
    fields.src.step0 = 1;
    fields.src.step1 = 0;
  }
  fields.cols = static_cast<std::uint8_t>(stationary.stationary_columns());
  tern_instr_extend_t extension{};
  extension.src0_reg = stationary.data.moved_by;
  emit(TERN_QUEUE_TENSOR, instruction, name, accesses_of(stationary), where,
       extension.src0_reg != 0 ? &extension : nullptr);
  array_.load(stationary, part);
}

void ProductCalls::require_columns(const char* name, const TensorOperand& stationary,
                                   const ArrayTile& tile, SourceLine where) {
  if (stationary.stationary_columns() <= tile.columns) return;
  throw UserError(where.text() + ": " + name + ": stationary " + shape_text(stationary.data) +
                  ": the tile has " + std::to_string(tile.columns) + " columns");
}

void ProductCalls::multiply_moving(const TileView& psum, const TensorOperand& operand,
                                   ProductOptions options, SourceLine where) {
  const char* name = "multiply_moving";
  const TensorOperand moving = folded(operand);
  const auto fail = [&](const std::string& message) {
    throw UserError(where.text() + ": " + name + ": " + message);
  };
  check_view(name, moving.data, false, "moving", where);
  check_view(name, psum, true, "psum", where);
  const ArrayTile part = tile_or_whole(options.tile, moving);
  const OperandChecks checks(chip_, where, name);
  checks.moving(moving);
  checks.tile(moving, part);
  if (moving.aux) check_view(name, *moving.aux, false, "scales", where);

  std::string reason;
  const auto loaded = array_.take(moving, part, &reason);
  if (!loaded) fail(reason);
  const TileView& stationary = loaded->operand.data;
  if (moving.data.partition != stationary.partition ||
      moving.data.partitions != stationary.partitions) {
    fail("moving " + shape_text(moving.data) + " on partition " +
         std::to_string(moving.data.partition) + ": the stationary " + shape_text(stationary) +
         " is on partition " + std::to_string(stationary.partition));
  }
  const std::uint64_t columns = has_planes(moving.mode) ? moving.data.num0 : moving.data.elements();
  const unsigned lanes = loaded->operand.stationary_columns();
  checks.result(psum, part, lanes, columns, moving.mode, options.rounding);

  tern_instruction_t instruction{};
  instruction.header.opcode = TERN_OPCODE_MULTIPLY_MOVING;
  auto& fields = instruction.multiply_moving;
  encode(moving, part, &fields);
  fields.dst = pattern(psum);
  fields.dst.step0 = 1;
  fields.cols = static_cast<std::uint8_t>(lanes);
  fields.accumulate = options.accumulate ? 1 : 0;
  fields.dst_dtype = code(psum.dtype);
  fields.rounding = static_cast<std::uint8_t>(options.rounding);
  std::vector<HazardMap::Access> accesses = accesses_of(moving);
  TileView slot = psum;
  for (unsigned i = 0; i < (moving.mode == TensorMode::kQuad ? kQuadSlots : 1); ++i) {
    accesses.push_back(access_of(slot, true));
    if (options.accumulate && checks_use_ && !use_->written(accesses.back()))
      fail("adds to " + use_->holder(accesses.back()) + ", where no product has begun a sum");
    slot.byte += kQuadSlotBytes;
  }
  tern_instr_extend_t extension{};
  extension.dst_reg = psum.moved_by;
  extension.src0_reg = moving.data.moved_by;
  const bool moved = extension.dst_reg != 0 || extension.src0_reg != 0;
  emit(TERN_QUEUE_TENSOR, instruction, name, accesses, where, moved ? &extension : nullptr);
}

void ProductCalls::nc_matmul(const TileView& psum, const TensorOperand& stationary,
                             const TensorOperand& moving, ProductOptions options,
                             SourceLine where) {
  // FP32 operands are multiplied in halves, the low ones first (docs/numerics.md).
  const auto halves = [](const TensorOperand& operand) {
    std::vector<TensorOperand> passes = {operand};
    if (operand.mode == TensorMode::kDense && operand.data.dtype == DType::kFp32) {
      passes = {fp32_half(operand.data, Half::kLow), fp32_half(operand.data, Half::kHigh)};
    }
    return passes;
  };
  for (const TensorOperand& weights : halves(stationary)) {
    load_stationary(weights, options.tile, where);
    for (const TensorOperand& columns : halves(moving)) {
      multiply_moving(psum, columns, options, where);
      options.accumulate = true;
    }
  }
}

void ProductCalls::nc_matmul_mx(const TileView& psum, const TileView& stationary,
                                const TileView& stationary_scales, const TileView& moving,
                                const TileView& moving_scales, ProductOptions options,
                                SourceLine where) {
  nc_matmul(psum, mx(stationary, stationary_scales), mx(moving, moving_scales), options, where);
}

void ProductCalls::nc_transpose(const TileView& psum, const TileView& view, Engine engine,
                                SourceLine where) {
  const char* name = "nc_transpose";
  if (engine != Engine::kTensor) return vector_transpose(psum, view, engine, where);
  const TileView source = folded(view);
  check_view(name, source, false, "source", where);
  check_view(name, psum, true, "psum", where);
  OperandChecks(chip_, where, name).transposed(psum, source);
  tern_instruction_t instruction{};
  instruction.header.opcode = TERN_OPCODE_TRANSPOSE;
  auto& fields = instruction.transpose;
  fields.src = pattern(source);
  fields.dst = pattern(psum);
  fields.dst.step0 = 1;
  fields.dtype = code(source.dtype);
  fields.rows = static_cast<std::uint8_t>(source.partitions);
  fields.cols = static_cast<std::uint8_t>(source.elements());
  tern_instr_extend_t extension{};
  extension.dst_reg = psum.moved_by;
  extension.src0_reg = source.moved_by;
  const bool moved = extension.dst_reg != 0 || extension.src0_reg != 0;
  emit(TERN_QUEUE_TENSOR, instruction, name, {access_of(source, false), access_of(psum, true)},
       where, moved ? &extension : nullptr);
  array_.transpose();
}

}  // namespace tern::kernels

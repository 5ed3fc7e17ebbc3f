// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/tensor/operand_checks.h"

#include "sw/base/math.h"
#include "sw/base/user_error.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/spec/tensor_modes.h"

namespace tern::kernels {

namespace {

const TensorModeRules& rules(TensorMode mode) {
  return kTensorModes[static_cast<unsigned>(mode)];
}

bool takes(TensorMode mode, DType dtype) {
  return tensor_mode_takes(static_cast<unsigned>(mode), static_cast<unsigned>(dtype));
}

std::string text(DType dtype) {
  return std::string(numerics::dtype_name(dtype));
}

std::string on_partition(const TileView& view) {
  return shape_text(view) + " on partition " + std::to_string(view.partition);
}

}  // namespace

std::string shape_text(const TileView& view) {
  std::string text = "[" + std::to_string(view.partitions) + ", ";
  for (unsigned d = view.dimensions() - 1; d > 0; --d) {
    text += std::to_string(view.dimension(d).count) + ", ";
  }
  return text + std::to_string(view.num0) + "]";
}

void OperandChecks::fail(const std::string& message) const {
  throw UserError(where_.text() + ": " + name_ + ": " + message);
}

void OperandChecks::format(const TensorOperand& operand, const char* role) const {
  const DType dtype = operand.data.dtype;
  const TensorFeatures& features = chip_.core.tensor;
  const std::string chip = "chip '" + chip_.name + "' has no ";
  require(operand.mode != TensorMode::kMx || features.mx, chip + "MX products");
  require(operand.mode != TensorMode::kQuad || features.quad, chip + "quad mode");
  require(dtype != DType::kE4m3Fn || features.e4m3fn, chip + "e4m3fn");
  require(operand.data.space == Space::kSbuf, std::string(role) + ": expected a tile in SBUF");
  require(takes(operand.mode, dtype), std::string(role) + ": " + rules(operand.mode).title +
                                          " products take " + rules(operand.mode).format_names +
                                          ", got " + text(dtype));
  require(operand.half == Half::kLow || dtype == DType::kFp32,
          std::string(role) + ": only fp32 has halves, got " + text(dtype));
}

// K in multiples of the grain of the mode.
void OperandChecks::rows(const TensorOperand& operand, const char* role) const {
  unsigned grain = rules(operand.mode).row_grain;
  if (operand.mode == TensorMode::kSparse) grain = kept(operand.sparsity);
  require(operand.data.partitions % grain == 0,
          std::string(role) + " " + shape_text(operand.data) + ": " + rules(operand.mode).title +
              " products take a multiple of " + std::to_string(grain) + " partitions");
}

// A stationary of another mode than dense: contiguous columns, from a multiple of 8 bytes on.
void OperandChecks::run(const TensorOperand& operand) const {
  const TileView& view = operand.data;
  const std::string title = rules(operand.mode).title;
  require(view.step0 == 1 || view.num0 == 1,
          "stationary: expected contiguous columns for " + title + " products");
  const bool two_planes = operand.mode == TensorMode::kDoubleRow;
  require(view.num1 == (two_planes ? 2 : 1),
          "stationary " + shape_text(view) + ": expected " +
              (two_planes ? "two planes [K, 2, M]" : "one dimension, [K, M]"));
  require(view.byte % kStationaryAlignment == 0,
          "stationary: starts at byte " + std::to_string(view.byte) +
              " of its partition, expected a multiple of 8 for " + title + " products");
  require(!two_planes || view.step1 % static_cast<int>(TERN_TENSOR_ALIGN_STATIONARY_PLANE) == 0,
          "stationary: planes " + std::to_string(view.step1) +
              " bytes apart, expected a multiple of 4");
}

void OperandChecks::scales(const TensorOperand& operand, const char* role,
                           bool is_stationary) const {
  const std::string what = std::string(role) + " scales";
  require(operand.aux.has_value(), what + ": missing");
  const TileView &scales = *operand.aux, &data = operand.data;
  require(scales.space == Space::kSbuf, what + ": expected a tile in SBUF");
  require(scales.dtype == DType::kE8m0 || scales.dtype == DType::kUint8,
          what + ": expected e8m0 or uint8, got " + text(scales.dtype));
  require(operand.scale_offset <= 12 && operand.scale_offset % 4 == 0,
          what + ": expected an offset of 0, 4, 8 or 12 in each quadrant, got " +
              std::to_string(operand.scale_offset));
  require(scales.partition == data.partition && scales.partitions == data.partitions,
          what + " " + on_partition(scales) + ": the elements are on partitions " +
              std::to_string(data.partition) + ".." +
              std::to_string(data.partition + data.partitions - 1));
  const bool same_pattern = scales.num0 == data.num0 && scales.num1 == data.num1 &&
                            (scales.step0 == data.step0 || data.num0 == 1) &&
                            (scales.step1 == data.step1 || data.num1 == 1);
  require(same_pattern, what + " " + shape_text(scales) +
                            ": expected one byte per column, in the " + "pattern of the elements " +
                            shape_text(data));
  require(!is_stationary || scales.byte % TERN_TENSOR_ALIGN_SCALES == 0,
          what + ": start at byte " + std::to_string(scales.byte) +
              " of their partition, expected a multiple of 4");
}

void OperandChecks::tags(const TensorOperand& operand) const {
  const TileView& data = operand.data;
  require(operand.aux.has_value(), "tags: missing");
  const TileView& tags = *operand.aux;
  require(tags.space == Space::kSbuf, "tags: expected a tile in SBUF");
  require(tags.dtype == DType::kUint8, "tags: expected uint8, got " + text(tags.dtype));
  const unsigned bytes = 2 * ceil_div(data.num0, 4);
  const bool fits = tags.partition == data.partition && tags.partitions == data.partitions &&
                    tags.num1 == 1 && tags.num0 == bytes && (tags.step0 == 1 || bytes == 1);
  require(fits, "tags " + on_partition(tags) + ": expected [" + std::to_string(data.partitions) +
                    ", " + std::to_string(bytes) + "] bytes on partition " +
                    std::to_string(data.partition) + ", two for four columns");
  require(tags.byte % TERN_TENSOR_ALIGN_TAGS == 0,
          "tags: start at byte " + std::to_string(tags.byte) +
              " of their partition, expected a multiple of 2");
}

void OperandChecks::stationary(const TensorOperand& operand) const {
  const TileView& view = operand.data;
  format(operand, "stationary");
  if (operand.mode != TensorMode::kDense) run(operand);
  require(operand.stationary_columns() <= kMaxStationary,
          "stationary " + shape_text(view) + ": expected at most 128 columns");
  rows(operand, "stationary");
  if (is_mx(operand.mode)) scales(operand, "stationary", true);
  if (operand.mode == TensorMode::kSparse) tags(operand);
}

void OperandChecks::moving(const TensorOperand& operand) const {
  const TileView& view = operand.data;
  format(operand, "moving");
  rows(operand, "moving");
  if (is_mx(operand.mode)) scales(operand, "moving", false);
  const bool sparse = operand.mode == TensorMode::kSparse;
  if (!sparse && operand.mode != TensorMode::kDoubleRow) return;
  const unsigned count = sparse ? planes(operand.sparsity) : 2;
  require(view.num1 == count, "moving " + shape_text(view) + ": expected " + std::to_string(count) +
                                  " planes, [K, " + std::to_string(count) + ", columns]");
  const auto size = static_cast<std::int32_t>(numerics::dtype_size(view.dtype));
  require(view.step1 * size % static_cast<int>(TERN_TENSOR_ALIGN_MOVING_PLANE) == 0,
          "moving: planes " + std::to_string(view.step1 * size) +
              " bytes apart, expected a multiple of 2");
}

void OperandChecks::tile(const TensorOperand& operand, const ArrayTile& tile) const {
  const auto size_allowed = [](unsigned size) {
    return size == kPartitions || size == kPartitions / 2 || size == kPartitions / 4;
  };
  require(size_allowed(tile.rows) && size_allowed(tile.columns),
          "tile of " + std::to_string(tile.rows) + " x " + std::to_string(tile.columns) +
              ": expected 32, 64 or 128 rows and columns");
  const bool whole_rows = tile.rows == kPartitions, whole_columns = tile.columns == kMaxStationary;
  require(whole_rows || rules(operand.mode).tile_rows,
          std::string(rules(operand.mode).title) + " products take the whole array");
  require(whole_columns || rules(operand.mode).tile_cols,
          std::string(rules(operand.mode).title) + " products take all columns of the array");
  require(tile.row % (whole_rows ? 32 : tile.rows) == 0 && tile.row < kPartitions,
          "tile: cannot start on row " + std::to_string(tile.row) + ", expected a multiple of " +
              std::to_string(whole_rows ? 32 : tile.rows));
  require(tile.column % tile.columns == 0 && tile.column < kMaxStationary,
          "tile: cannot start on column " + std::to_string(tile.column) +
              ", expected a multiple of " + std::to_string(tile.columns));
  const TileView& data = operand.data;
  require(data.partition == tile.row && data.partitions <= tile.rows,
          "operand " + on_partition(data) + ": the tile has " + std::to_string(tile.rows) +
              " rows from row " + std::to_string(tile.row));
}

void OperandChecks::result(const TileView& psum, const ArrayTile& tile, unsigned lanes,
                           std::uint64_t columns, TensorMode mode, Rounding rounding) const {
  const TensorFeatures& features = chip_.core.tensor;
  const bool bf16 = psum.dtype == DType::kBf16;
  require(psum.space == Space::kPsum, "destination: expected a tile in PSUM");
  require(bf16 || psum.dtype == DType::kFp32,
          "destination: expected fp32 or bf16, got " + text(psum.dtype));
  require(!bf16 || features.bf16_result, "chip '" + chip_.name + "' has no bf16 results in PSUM");
  require(bf16 || rounding == Rounding::kNearest, "stochastic rounding needs a bf16 destination");
  const unsigned most = features.max_moving * (bf16 ? 2 : 1);
  require(columns <= most, "moving operand of " + std::to_string(columns) +
                               " columns: expected at most " + std::to_string(most));
  const bool good = psum.partition == tile.column && psum.partitions == lanes && psum.num1 == 1 &&
                    psum.elements() == columns && (psum.step0 == 1 || psum.num0 == 1);
  require(good, "destination " + on_partition(psum) + ": expected [" + std::to_string(lanes) +
                    ", " + std::to_string(columns) + "] contiguous on partition " +
                    std::to_string(tile.column));
  const std::uint64_t end = psum.byte + columns * numerics::dtype_size(psum.dtype);
  require(
      features.max_moving > kPsumBankColumns ||
          psum.byte / kPsumBankBytes == (end - 1) / kPsumBankBytes,
      "destination " + shape_text(psum) + ": crosses from one PSUM bank (512 fp32) into the next");
  require(mode != TensorMode::kQuad || end <= kPsumPartitionBytes / 4,
          "destination " + shape_text(psum) + ": the first of four results of quad mode is in " +
              "the first two PSUM banks (psum_quad_tile)");
}

void OperandChecks::transposed(const TileView& psum, const TileView& source) const {
  require(source.space == Space::kSbuf, "source: expected a tile in SBUF");
  require(
      tensor_transpose_takes(static_cast<unsigned>(source.dtype)),
      "source: expected a floating-point format that the array takes, got " + text(source.dtype));
  require(source.dtype != DType::kE4m3Fn || chip_.core.tensor.e4m3fn,
          "chip '" + chip_.name + "' has no e4m3fn");
  require(source.elements() <= kMaxStationary,
          "source " + shape_text(source) + ": expected at most 128 columns");
  require(psum.space == Space::kPsum, "destination: expected a tile in PSUM");
  const std::size_t size = numerics::dtype_size(source.dtype);
  // One-byte elements take two bytes each.
  const int step = size == 1 ? 2 : 1;
  const bool fits = psum.partition == 0 && psum.partitions == source.elements() && psum.num1 == 1 &&
                    psum.num0 == source.partitions && (psum.step0 == step || psum.num0 == 1) &&
                    numerics::dtype_size(psum.dtype) == size;
  require(fits, "destination " + on_partition(psum) + " of " + text(psum.dtype) + ": expected [" +
                    std::to_string(source.elements()) + ", " + std::to_string(source.partitions) +
                    "] elements of " + std::to_string(size) + " bytes, " +
                    (size == 1 ? "two bytes apart" : "contiguous") + " on partition 0");
  require(psum.byte % (size == 4 ? 4 : 2) == 0, "destination: not aligned to its elements");
}

}  // namespace tern::kernels

// SPDX-License-Identifier: Apache-2.0
// Products and transposes.
#include <optional>

#include "sw/nki/lower/chip_views.h"
#include "sw/nki/lower/lowering.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace {

// A transpose moves bits: integers go as floats of their size.
DType transposed_as(DType dtype) {
  switch (dtype) {
    case DType::kInt32:
    case DType::kUint32:
      return DType::kFp32;
    case DType::kInt16:
    case DType::kUint16:
      return DType::kBf16;
    case DType::kInt8:
    case DType::kUint8:
      return DType::kE5m2;
    default:
      return dtype;
  }
}

// Scales as the builder has them: on the partitions of the data, with an offset in each quadrant.
// NKI's view begins at the first scale.
struct Scales {
  kernels::TileView view;
  unsigned offset = 0;
};

Scales scales_of(const View& view, const kernels::TileView& data) {
  Scales scales;
  scales.view = tile_view(view);
  const unsigned first = scales.view.partition;
  const unsigned quadrant = data.partition + TERN_LIMIT_QUADRANT;
  if (first < data.partition || first >= quadrant) {
    throw NkiError("scales `" + view.text() + "` on partition " + std::to_string(first) +
                   ": the data are on partition " + std::to_string(data.partition));
  }
  scales.offset = first - data.partition;
  scales.view.partition = data.partition;
  scales.view.partitions = data.partitions;
  if (scales.view.dtype == DType::kUint8) scales.view.dtype = DType::kE8m0;
  return scales;
}

// The part of the array that a product names, if any.
std::optional<kernels::ArrayTile> named_tile(const Options& options) {
  if (options.numbers.size() != 4) return std::nullopt;
  const auto number = [&](std::size_t i) { return static_cast<unsigned>(options.numbers[i]); };
  return kernels::ArrayTile{number(0), number(1), number(2), number(3)};
}

}  // namespace

void Lowering::nc_matmul(const Instruction& instruction) {
  const Options& options = instruction.options;
  kernels::ProductOptions with(options.accumulate.value_or(false));
  with.tile = named_tile(options);
  const View &stationary = instruction.at("stationary"), &moving = instruction.at("moving");
  if (options.double_row) {
    builder_.nc_matmul(tile_view(instruction.at("dst")),
                       kernels::double_row(unmerged_tile_view(stationary)),
                       kernels::double_row(unmerged_tile_view(moving)), with, where_);
    return;
  }
  builder_.nc_matmul(tile_view(instruction.at("dst")), tile_view(stationary), tile_view(moving),
                     with, where_);
}

void Lowering::quantize_mx(const Instruction& instruction) {
  const kernels::TileView dst = tile_view(instruction.at("dst"));
  const Scales scales = scales_of(instruction.at("dst_scale"), dst);
  builder_.quantize_mx(
      dst, scales.view, tile_view(instruction.at("src")),
      instruction.options.ocp_scales ? kernels::MxRule::kOcp : kernels::MxRule::kAws, scales.offset,
      where_);
}

void Lowering::nc_matmul_mx(const Instruction& instruction) {
  const auto operand = [&](const char* data_role, const char* scale_role) {
    const kernels::TileView data = tile_view(instruction.at(data_role));
    const Scales scales = scales_of(instruction.at(scale_role), data);
    return kernels::mx(data, scales.view, scales.offset);
  };
  const kernels::TensorOperand stationary = operand("stationary", "stationary_scale");
  kernels::ProductOptions with(instruction.options.accumulate.value_or(false));
  // Operands on other rows than the tile's first take the whole array.
  const auto tile = named_tile(instruction.options);
  if (tile && tile->row == stationary.data.partition) with.tile = tile;
  builder_.nc_matmul(tile_view(instruction.at("dst")), stationary,
                     operand("moving", "moving_scale"), with, where_);
}

void Lowering::nc_transpose(const Instruction& instruction) {
  kernels::TileView dst = tile_view(instruction.at("dst")),
                    data = tile_view(instruction.at("data"));
  if (engine(instruction) == Engine::kTensor) {
    data.dtype = dst.dtype = transposed_as(data.dtype);
  }
  builder_.nc_transpose(dst, data, engine(instruction), where_);
}

}  // namespace tern::nki

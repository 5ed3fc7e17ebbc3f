// SPDX-License-Identifier: Apache-2.0
// Products and transposes.
#include "sw/nki/lower/chip_views.h"
#include "sw/nki/lower/lowering.h"

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

}  // namespace

void Lowering::nc_matmul(const Instruction& instruction) {
  const Options& options = instruction.options;
  kernels::ProductOptions with(options.accumulate.value_or(false));
  if (options.numbers.size() == 4) {
    const auto number = [&](std::size_t i) { return static_cast<unsigned>(options.numbers[i]); };
    with.tile = kernels::ArrayTile{number(0), number(1), number(2), number(3)};
  }
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

// The scales of a quadrant of 32 partitions are in four of its partitions, from one of these
// offsets on: that of the view.
void Lowering::quantize_mx(const Instruction& instruction) {
  builder_.quantize_mx(tile_view(instruction.at("dst")), tile_view(instruction.at("dst_scale")),
                       tile_view(instruction.at("src")),
                       instruction.options.negate ? kernels::MxRule::kOcp : kernels::MxRule::kAws,
                       0, where_);
}

void Lowering::nc_matmul_mx(const Instruction& instruction) {
  builder_.nc_matmul_mx(
      tile_view(instruction.at("dst")), tile_view(instruction.at("stationary")),
      tile_view(instruction.at("stationary_scale")), tile_view(instruction.at("moving")),
      tile_view(instruction.at("moving_scale")),
      kernels::ProductOptions(instruction.options.accumulate.value_or(false)), where_);
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

// SPDX-License-Identifier: Apache-2.0
// Element-wise instructions.
#include "sw/nki/lower/chip_views.h"
#include "sw/nki/lower/lowering.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace {

DType bits_of_size(std::int64_t bytes) {
  return bytes == 1 ? DType::kUint8 : bytes == 2 ? DType::kUint16 : DType::kUint32;
}

}  // namespace

void Lowering::tensor_copy(const Instruction& instruction) {
  kernels::TileView dst = tile_view(instruction.at("dst")), src = tile_view(instruction.at("src"));
  // Formats without arithmetic are moved as bits.
  if (dst.dtype == src.dtype && !numerics::is_compute_dtype(dst.dtype)) {
    dst.dtype = src.dtype = bits_of_size(instruction.at("dst").type()->bytes());
  }
  builder_.tensor_copy(dst, src, engine(instruction), where_);
}

void Lowering::memset(const Instruction& instruction) {
  kernels::TileView dst = tile_view(instruction.at("dst"));
  const double value = instruction.options.value0;
  if (!numerics::is_compute_dtype(dst.dtype)) {
    if (value != 0) {
      throw NkiError("memset of " + std::string(instruction.at("dst").type()->name) +
                     ": expected 0");
    }
    dst.dtype = bits_of_size(instruction.at("dst").type()->bytes());
  }
  // An instruction holds the value as FP32: other integers are written in halves.
  if (numerics::is_integer(dst.dtype) && value != static_cast<double>(static_cast<float>(value))) {
    const auto bits = static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
    for (unsigned half = 0; half < 2; ++half) {
      kernels::TileView part = dst;
      part.dtype = DType::kUint16;
      part.byte += 2 * half;
      for (unsigned d = 0; d < kernels::TileView::kDimensions; ++d) {
        const kernels::Dimension dim = part.dimension(d);
        part.set_dimension(d, {dim.count, 2 * dim.step});
      }
      builder_.memset(part, static_cast<float>((bits >> (16 * half)) & 0xffff), engine(instruction),
                      where_);
    }
    return;
  }
  builder_.memset(dst, static_cast<float>(value), engine(instruction), where_);
}

void Lowering::tensor_tensor(const Instruction& instruction) {
  builder_.tensor_tensor(tile_view(instruction.at("dst")), tile_view(instruction.at("data1")),
                         instruction.options.op0, tile_view(instruction.at("data2")),
                         engine(instruction), where_);
}

void Lowering::tensor_scalar(const Instruction& instruction) {
  const Options& options = instruction.options;
  kernels::ScalarOptions with;
  with.engine = engine(instruction);
  with.reverse0 = options.reverse0 && !kernels::is_unary(options.op0);
  with.reverse1 = options.reverse1 && !kernels::is_unary(options.op1);
  with.reduce = reduction(instruction);
  const bool bits = kernels::is_bitwise(options.op0);
  const auto operand = [&](const char* role, double value) {
    if (!bits || instruction.find(role) != nullptr) return scalar(instruction, role, value);
    return kernels::ScalarOperand::bits(
        static_cast<std::uint32_t>(static_cast<std::int64_t>(value)));
  };
  builder_.tensor_scalar(tile_view(instruction.at("dst")), tile_view(instruction.at("data")),
                         options.op0, operand("operand0", options.value0), options.op1,
                         operand("operand1", options.value1), with, where_);
}

void Lowering::activation(const Instruction& instruction) {
  const Options& options = instruction.options;
  kernels::ActivationOptions with;
  with.scale = scalar(instruction, "scale", options.value0);
  with.bias = scalar(instruction, "bias", options.value1);
  with.reduce = reduction(instruction);
  with.slope = static_cast<float>(options.value2);
  builder_.activation(tile_view(instruction.at("dst")), options.function,
                      tile_view(instruction.at("data")), with, where_);
}

void Lowering::reciprocal(const Instruction& instruction) {
  builder_.reciprocal(tile_view(instruction.at("dst")), tile_view(instruction.at("data")), where_);
}

void Lowering::tensor_reduce(const Instruction& instruction) {
  unsigned dimensions = instruction.options.reduce_dimensions;
  const kernels::TileView data = tile_view(instruction.at("data"), &dimensions);
  builder_.tensor_reduce(tile_view(instruction.at("dst")), instruction.options.op0, data,
                         instruction.options.negate, dimensions, where_);
}

}  // namespace tern::nki

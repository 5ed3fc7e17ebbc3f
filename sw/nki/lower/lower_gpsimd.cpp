// SPDX-License-Identifier: Apache-2.0
// What only GpSimd has.
#include "sw/nki/lower/chip_views.h"
#include "sw/nki/lower/lowering.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace {

// The options' numbers are base, channel multiplier, then a step and a count for each dimension.
// The destination takes its dimensions from the counts.
struct Affine {
  kernels::TileView dst;
  kernels::IndexPattern index;
};

Affine affine(const Instruction& instruction) {
  const std::vector<std::int64_t>& numbers = instruction.options.numbers;
  for (const std::int64_t number : numbers) {
    if (number >= INT32_MIN && number <= INT32_MAX) continue;
    throw NkiError(std::string(instruction.signature->name) + ": " + std::to_string(number) +
                   " does not fit 32 bits");
  }
  const View& dst = instruction.at("dst");
  std::vector<std::int64_t> shape = {dst.shape()[0]};
  Affine result;
  result.index.base = static_cast<std::int32_t>(numbers.at(0));
  result.index.channel_multiplier = static_cast<std::int32_t>(numbers.at(1));
  result.index.steps.clear();
  for (std::size_t i = 2; i + 1 < numbers.size(); i += 2) {
    if (numbers[i + 1] == 1) continue;
    result.index.steps.push_back(static_cast<std::int32_t>(numbers[i]));
    shape.push_back(numbers[i + 1]);
  }
  if (shape.size() == 1) {
    shape.push_back(1);
    result.index.steps.push_back(0);
  }
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  if (count != dst.elements()) {
    throw NkiError(std::string(instruction.signature->name) + ": the pattern gives " +
                   std::to_string(count / shape[0]) + " elements per partition, dst" +
                   nki::shape_text(dst.shape()) + " takes " +
                   std::to_string(dst.elements() / shape[0]));
  }
  result.dst = unmerged_tile_view(dst.reshape(shape));
  return result;
}

}  // namespace

void Lowering::iota(const Instruction& instruction) {
  const Affine made = affine(instruction);
  builder_.iota(made.dst, made.index, where_);
}

void Lowering::affine_select(const Instruction& instruction) {
  const Affine made = affine(instruction);
  builder_.affine_select(made.dst, tile_view(instruction.at("on_true_tile")), made.index,
                         instruction.options.op0, static_cast<float>(instruction.options.value0),
                         where_);
}

void Lowering::nc_n_gather(const Instruction& instruction) {
  builder_.nc_n_gather(tile_view(instruction.at("dst")), tile_view(instruction.at("data")),
                       tile_view(instruction.at("indices")), where_);
}

void Lowering::local_gather(const Instruction& instruction) {
  builder_.local_gather(tile_view(instruction.at("dst")), tile_view(instruction.at("src_buffer")),
                        tile_view(instruction.at("index")),
                        static_cast<unsigned>(instruction.options.value0), where_);
}

void Lowering::nonzero_with_count(const Instruction& instruction) {
  const Options& options = instruction.options;
  builder_.nonzero_with_count(tile_view(instruction.at("dst")), tile_view(instruction.at("src")),
                              static_cast<std::int32_t>(options.value0),
                              static_cast<std::int32_t>(options.value1), where_);
}

void Lowering::sequence_bounds(const Instruction& instruction) {
  builder_.sequence_bounds(tile_view(instruction.at("dst")),
                           tile_view(instruction.at("segment_ids")), where_);
}

void Lowering::topk(const Instruction& instruction) {
  const auto number = [&](std::size_t i) {
    return static_cast<unsigned>(instruction.options.numbers.at(i));
  };
  builder_.topk(tile_view(instruction.at("dst")), tile_view(instruction.at("indices")),
                tile_view(instruction.at("src")), number(0), number(1), where_);
}

void Lowering::tensor_partition_reduce(const Instruction& instruction) {
  builder_.tensor_partition_reduce(tile_view(instruction.at("dst")), instruction.options.op0,
                                   tile_view(instruction.at("data")), where_);
}

}  // namespace tern::nki

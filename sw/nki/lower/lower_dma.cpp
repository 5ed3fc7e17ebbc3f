// SPDX-License-Identifier: Apache-2.0
// Transfers.
#include "sw/kernels/builder/dma/dma_lists.h"
#include "sw/nki/lower/chip_views.h"
#include "sw/nki/lower/lowering.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace {

kernels::DmaOptions dma_options(const Options& of) {
  const Trigger trigger = of.trigger;
  kernels::DmaOptions options;
  if (of.descriptors_by_gpsimd) {
    options.descriptors = kernels::Descriptors::kGpsimd;
    return options;
  }
  if (of.descriptors_by_host) options.descriptors = kernels::Descriptors::kHost;
  if (trigger == Trigger::kSync) options.descriptors = kernels::Descriptors::kChipSync;
  if (trigger == Trigger::kScalar) options.descriptors = kernels::Descriptors::kChipScalar;
  return options;
}

}  // namespace

// Stores whose rows are one run each have a queue of their own in the builder, so that they hold up
// no load.
bool Lowering::store_by_rows(const View& dst, const View& src, const kernels::DmaOptions& with) {
  if (src.type() != dst.type() || dst.storage().on_chip() || !src.storage().on_chip()) return false;
  const ChipPattern pattern = chip_pattern(src, "src");
  const auto dims = merged(pattern.dims);
  if (dims.size() != 1 || (dims[0].step != 1 && dims[0].count != 1)) return false;
  std::size_t d = dst.dimensions();
  std::int64_t inner = 1;
  while (d > 0 && inner < pattern.elements()) {
    if (dst.shape()[d - 1] != 1 && dst.strides()[d - 1] != inner) return false;
    inner *= dst.shape()[--d];
  }
  if (inner != pattern.elements()) return false;
  // What is left are the partitions.
  std::int64_t pitch = 0, rows = 1;
  for (; d > 0; --d) {
    if (dst.shape()[d - 1] == 1) continue;
    if (rows > 1 && dst.strides()[d - 1] != pitch * rows) return false;
    if (rows == 1) pitch = dst.strides()[d - 1];
    rows *= dst.shape()[d - 1];
  }
  if (rows != pattern.partitions || pitch < 0 || (pitch == 0 && rows > 1)) return false;
  kernels::TensorView tensor = tensor_view(dst, *tensor_of(dst));
  tensor.partitions = static_cast<std::uint64_t>(rows);
  tensor.partition_pitch = static_cast<std::uint64_t>(pitch * dst.type()->bytes());
  tensor.inner = static_cast<std::uint64_t>(inner);
  builder_.dma_store(tensor, tile_view(src), with, where_);
  return true;
}

// A row of a table in HBM for each partition. Of a view in HBM, dimension 0 stands for the indexed
// one of its tensor; the options have its step and count, in elements.
void Lowering::gather(const Instruction& instruction, const char* source, bool accumulate) {
  const bool scatter = instruction.find("dst_index") != nullptr;
  const View &dst = instruction.at("dst"), &src = instruction.at(source);
  const View &table = scatter ? dst : src, &tile = scatter ? src : dst;
  const std::int64_t size = table.type()->bytes();
  kernels::TensorView rows = tensor_view(table, *tensor_of(table));
  const std::int64_t step = instruction.options.numbers.at(0);
  rows.partitions = static_cast<std::uint64_t>(instruction.options.numbers.at(1));
  rows.partition_pitch = static_cast<std::uint64_t>(step * size);
  rows.inner = static_cast<std::uint64_t>(table.elements() / table.shape()[0]);
  rows.row0 = 0;
  rows.row1 = tensor_of(table)->rows;
  rows.byte0 = 0;
  rows.byte1 = tensor_of(table)->columns * static_cast<std::uint64_t>(size);
  kernels::IndirectOptions with;
  with.accumulate = accumulate;
  with.skip_out_of_bounds = instruction.options.skip_out_of_bounds;
  if (scatter) {
    builder_.dma_scatter(rows, tile_view(tile), tile_view(instruction.at("dst_index")), with,
                         where_);
  } else {
    builder_.dma_gather(tile_view(tile), rows, tile_view(instruction.at("src_index")), with,
                        where_);
  }
}

void Lowering::dma_compute(const Instruction& instruction) {
  if (instruction.find("dst_index") != nullptr || instruction.find("src_index") != nullptr) {
    gather(instruction, "src0", true);
    return;
  }
  std::vector<kernels::DmaView> sources;
  for (const Operand& operand : instruction.operands) {
    if (operand.rule->access == Access::kRead) sources.push_back(dma_side(operand.view));
  }
  builder_.dma_compute(dma_side(instruction.at("dst")), Alu::kAdd, sources, false, {}, where_);
}

// Whole blocks by the engines' transpose; the rest element by element.
void Lowering::dma_transpose(const Instruction& instruction) {
  const View &dst = instruction.at("dst"), &src = instruction.at("src");
  const std::int64_t size = src.type()->bytes();
  const kernels::DmaView to = dma_side(dst), from = dma_side(src);
  const auto side = static_cast<std::int64_t>(kernels::kBlockRowBytes) / size;
  const auto begins_at = [](const kernels::DmaView& view, std::int64_t multiple) {
    return view.base.offset % static_cast<std::uint64_t>(multiple) == 0 &&
           (view.dims[0].count == 1 || view.dims[0].pitch % multiple == 0);
  };
  if ((size == 2 || size == 4) && src.shape()[0] % side == 0 && src.shape()[1] % side == 0 &&
      to.has_contiguous_rows() && from.has_contiguous_rows() &&
      begins_at(from, kernels::kBlockRowBytes) && begins_at(to, 4)) {
    const bool by_generator = instruction.loop != 0 && size == 2;
    kernels::DmaOptions with;
    if (by_generator) with.descriptors = kernels::Descriptors::kSync;
    if (by_generator || instruction.loop == 0) {
      builder_.dma_transpose(to, from, with, where_);
      return;
    }
  }
  kernels::DmaOptions with;
  if (instruction.loop != 0) with.descriptors = kernels::Descriptors::kSync;
  builder_.dma_copy(to, permuted_dma_view(src, tensor_of(src), {1, 0}), with, where_);
}

// A side in HBM may move to anywhere in its tensor.
void Lowering::copy_at(const Instruction& instruction) {
  const auto movable = [&](const View& view, bool moves) {
    kernels::DmaView side = dma_side(view);
    if (moves && side.tensor) {
      side.tensor->row0 = side.tensor->byte0 = 0;
      side.tensor->row1 = tensor_of(view)->rows;
      side.tensor->byte1 =
          tensor_of(view)->columns * static_cast<std::uint64_t>(view.storage().type->bytes());
    }
    return side;
  };
  const View &dst = instruction.at("dst"), &src = instruction.at("src");
  auto to = offset(dst), from = offset(src);
  for (auto* side : {&to, &from}) {
    if (*side) (*side)->skip = instruction.options.skip_out_of_bounds;
  }
  builder_.dma_copy_at(movable(dst, dst.moved() != nullptr), to,
                       movable(src, src.moved() != nullptr), from, where_);
}

// Descriptors by a generator, as the host's cannot be used again; it takes three dimensions.
void Lowering::copy_in_loop(const View& dst, const View& src, const Instruction& instruction) {
  const bool moves = dst.moved() != nullptr || src.moved() != nullptr;
  if (!kernels::KernelBuilder::generator_takes(dma_side(dst), dma_side(src))) {
    for (std::size_t d = 0; dst.shape() == src.shape() && d < dst.dimensions(); ++d) {
      if (dst.shape()[d] == 1) continue;
      for (std::int64_t i = 0; i < dst.shape()[d]; ++i) {
        const auto dimension = static_cast<std::int64_t>(d);
        copy_in_loop(dst.slice(dimension, i, i + 1), src.slice(dimension, i, i + 1), instruction);
      }
      return;
    }
    throw NkiError("dma_copy in a dynamic loop from `" + src.text() + "` to `" + dst.text() +
                       "`: more than three dimensions of steps",
                   instruction.site, NkiError::Kind::kNotSupported);
  }
  if (moves) {
    Instruction part = instruction;
    part.replace("dst", dst);
    part.replace("src", src);
    return copy_at(part);
  }
  kernels::DmaOptions with;
  const bool scalar = instruction.options.trigger == Trigger::kAny
                          ? !dst.storage().on_chip()
                          : instruction.options.trigger == Trigger::kScalar;
  with.descriptors = scalar ? kernels::Descriptors::kScalar : kernels::Descriptors::kSync;
  builder_.dma_copy(dma_side(dst), dma_side(src), with, where_);
}

void Lowering::dma_copy(const Instruction& instruction) {
  const View &dst = instruction.at("dst"), &src = instruction.at("src");
  if (instruction.find("dst_index") != nullptr || instruction.find("src_index") != nullptr) {
    gather(instruction, "src", false);
    return;
  }
  if (instruction.loop != 0 || instruction.moves()) {
    copy_in_loop(dst, src, instruction);
    return;
  }
  const kernels::DmaOptions with = dma_options(instruction.options);
  if (store_by_rows(dst, src, with)) return;
  if (dst.type()->dtype != src.type()->dtype) {
    builder_.dma_cast(dma_side(dst), dma_side(src), {}, where_);
    return;
  }
  builder_.dma_copy(dma_side(dst), dma_side(src), with, where_);
}

}  // namespace tern::nki

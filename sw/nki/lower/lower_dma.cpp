// SPDX-License-Identifier: Apache-2.0
// Transfers.
#include "sw/nki/lower/chip_views.h"
#include "sw/nki/lower/lowering.h"

namespace tern::nki {

// Stores whose rows are one run each have a queue of their own in the builder, so that they hold up
// no load.
bool Lowering::store_by_rows(const View& dst, const View& src) {
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
  builder_.dma_store(tensor, tile_view(src), where_);
  return true;
}

void Lowering::dma_copy(const Instruction& instruction) {
  const View &dst = instruction.at("dst"), &src = instruction.at("src");
  if (store_by_rows(dst, src)) return;
  if (dst.type()->dtype != src.type()->dtype) {
    builder_.dma_cast(dma_side(dst), dma_side(src), {}, where_);
    return;
  }
  builder_.dma_copy(dma_side(dst), dma_side(src), {}, where_);
}

}  // namespace tern::nki

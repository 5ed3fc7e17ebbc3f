// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/lower/chip_views.h"

#include <algorithm>
#include <limits>

#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace {

using Dims = std::vector<ChipPattern::Dim>;
using kernels::TileView;

constexpr std::int64_t kMostCount = std::numeric_limits<std::uint16_t>::max();

// Counts beyond 16 bits become two dimensions.
Dims with_short_counts(const Dims& dims) {
  Dims result;
  for (const ChipPattern::Dim& dim : dims) {
    std::int64_t inner = dim.count;
    while (inner > kMostCount / 4) {  // a step has a sign, and counts elements
      std::int64_t factor = 2;
      while (factor < inner && inner % factor != 0) ++factor;
      inner /= factor;
    }
    if (dim.count <= kMostCount || inner <= 1) {
      result.push_back(dim);
      continue;
    }
    result.push_back({dim.count / inner, dim.step * inner});
    result.push_back({inner, dim.step});
  }
  return result;
}

TileView located(const View& view, const ChipPattern& pattern) {
  const Storage& storage = view.storage();
  TileView tile;
  tile.space = storage.memory == Memory::kSbuf ? kernels::Space::kSbuf : kernels::Space::kPsum;
  tile.dtype = view.type()->dtype;
  tile.partition = storage.address->partition + static_cast<unsigned>(pattern.partition);
  tile.partitions = static_cast<unsigned>(pattern.partitions);
  tile.byte =
      storage.address->byte + static_cast<std::uint32_t>(pattern.start * view.type()->bytes());
  if (const View::Moved* moved = view.moved()) {
    tile.moved_by = moved->operand_register;
    tile.moved_begin = storage.address->byte;
    tile.moved_end = tile.moved_begin + static_cast<std::uint32_t>(storage.partition_bytes());
  }
  return tile;
}

void set_dims(const View& view, const Dims& dims, TileView* tile) {
  if (dims.size() > TileView::kDimensions) {
    throw NkiError("`" + view.text() + "`: its elements take more than four dimensions of steps",
                   NkiError::Kind::kNotSupported);
  }
  for (std::size_t d = 0; d < dims.size(); ++d) {
    tile->set_dimension(
        static_cast<unsigned>(dims.size() - 1 - d),
        {static_cast<std::uint32_t>(dims[d].count), static_cast<std::int32_t>(dims[d].step)});
  }
}

}  // namespace

TileView tile_view(const View& view) {
  const ChipPattern pattern = chip_pattern(view, "operand");
  TileView tile = located(view, pattern);
  set_dims(view, with_short_counts(merged(pattern.dims)), &tile);
  return tile;
}

TileView tile_view(const View& view, unsigned* reduced) {
  const ChipPattern pattern = chip_pattern(view, "operand");
  TileView tile = located(view, pattern);
  const auto split = pattern.dims.end() - *reduced;
  const Dims inner = with_short_counts(merged({split, pattern.dims.end()}));
  Dims dims = with_short_counts(merged({pattern.dims.begin(), split}));
  if (dims.size() == 1 && dims[0].count == 1) dims.clear();
  dims.insert(dims.end(), inner.begin(), inner.end());
  *reduced = static_cast<unsigned>(inner.size());
  set_dims(view, dims, &tile);
  return tile;
}

TileView unmerged_tile_view(const View& view) {
  const ChipPattern pattern = chip_pattern(view, "operand");
  TileView tile = located(view, pattern);
  set_dims(view, pattern.dims, &tile);
  return tile;
}

kernels::TensorView tensor_view(const View& view, const kernels::Tensor& tensor) {
  const std::int64_t size = view.type()->bytes();
  std::int64_t low = view.offset(), high = view.offset();
  const std::int64_t row =
      static_cast<std::int64_t>(tensor.columns) * view.storage().type->bytes();  // bytes
  // Columns that stay inside a row, if whole rows lead from one to the next.
  std::int64_t column = view.offset() * size % row, column_end = column + size;
  bool whole_rows = true;
  for (std::size_t d = 0; d < view.dimensions(); ++d) {
    const std::int64_t reach = view.strides()[d] * (view.shape()[d] - 1);
    (reach < 0 ? low : high) += reach;
    if (view.shape()[d] == 1 || view.strides()[d] * size % row == 0) continue;
    whole_rows = whole_rows && reach >= 0;
    column_end += reach * size;
  }
  whole_rows = whole_rows && column_end <= row;
  kernels::TensorView result;
  result.tensor = tensor.id;
  result.dtype = view.type()->dtype;
  result.offset = static_cast<std::uint64_t>(view.offset() * size);
  result.row0 = static_cast<std::uint64_t>(low * size / row);
  result.row1 = static_cast<std::uint64_t>((high * size) / row + 1);
  result.byte0 = static_cast<std::uint64_t>(whole_rows ? column : 0);
  result.byte1 = static_cast<std::uint64_t>(whole_rows ? column_end : row);
  result.partitions = result.inner = 1;
  return result;
}

kernels::DmaView dma_view(const View& view, const kernels::Tensor* tensor) {
  const std::int64_t size = view.type()->bytes();
  std::vector<kernels::DmaView::Dim> dims;
  for (std::size_t d = 0; d < view.dimensions(); ++d) {
    dims.push_back({static_cast<std::uint64_t>(view.shape()[d]), view.strides()[d] * size});
  }
  if (tensor != nullptr) {
    kernels::DmaView result(tensor_view(view, *tensor));
    if (dims.size() < 2) dims.insert(dims.begin(), {1, 0});
    result.dims = std::move(dims);
    return result;
  }
  const ChipPattern pattern = chip_pattern(view, "operand");
  if (pattern.repeats > 1) {
    kernels::DmaView result = dma_view(view.slice(0, 0, 1), nullptr);
    result.dims.front() = {static_cast<std::uint64_t>(pattern.repeats), 0};
    return result;
  }
  TileView tile = located(view, pattern);
  const std::int64_t low = pattern.low(), high = pattern.high();
  if (merged(pattern.dims).size() <= TileView::kDimensions) {
    set_dims(view, merged(pattern.dims), &tile);
    return {tile};
  }
  // More dimensions than an instruction has: hazards get what encloses them.
  tile.num0 = static_cast<std::uint32_t>(high - low + 1);
  kernels::DmaView result(tile);
  dims.front().pitch = static_cast<std::int64_t>(result.dims.front().pitch);
  result.dims = std::move(dims);
  return result;
}

kernels::DmaView permuted_dma_view(const View& view, const kernels::Tensor* tensor,
                                   const std::vector<std::size_t>& order) {
  kernels::DmaView result = dma_view(view, tensor);
  const std::int64_t size = view.type()->bytes();
  const std::int64_t partition_pitch = result.dims.front().pitch;
  result.dims.clear();
  for (const std::size_t d : order) {
    const bool partitions = d == 0 && view.storage().on_chip();
    result.dims.push_back({static_cast<std::uint64_t>(view.shape()[d]),
                           partitions ? partition_pitch : view.strides()[d] * size});
  }
  return result;
}

}  // namespace tern::nki

// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/views.h"

#include <utility>

#include "systemc/config/user_error.h"

namespace tern::kernels {

namespace {

std::uint32_t size_of(DType dtype) {
  return static_cast<std::uint32_t>(numerics::dtype_size(dtype));
}

[[noreturn]] void outside(SourceLine where, const std::string& what, const std::string& limit) {
  throw UserError(where.text() + ": " + what + ": outside " + limit);
}

}  // namespace

TileView TileView::rows(unsigned first, unsigned count, SourceLine where) const {
  if (first + count > partitions) {
    outside(where,
            "view of partitions " + std::to_string(first) + ".." + std::to_string(first + count),
            std::to_string(partitions) + " partitions");
  }
  TileView view = *this;
  view.partition += first;
  view.partitions = count;
  return view;
}

TileView TileView::columns(unsigned first, unsigned count, SourceLine where) const {
  if (first + count > num0) {
    outside(where,
            "view of columns " + std::to_string(first) + ".." + std::to_string(first + count),
            std::to_string(num0) + " columns");
  }
  TileView view = *this;
  view.byte += static_cast<std::uint32_t>(static_cast<std::int64_t>(first) * step0 *
                                          static_cast<std::int64_t>(size_of(dtype)));
  view.num0 = count;
  return view;
}

TileView TileView::broadcast(unsigned count, SourceLine where) const {
  if (elements() != 1)
    outside(where, "broadcast of " + std::to_string(elements()) + " columns", "1");
  TileView view = *this;
  view.num0 = count;
  view.step0 = 0;
  view.num1 = 1;
  view.step1 = 0;
  return view;
}

TileView TileView::repeated(unsigned count, SourceLine where) const {
  if (num1 != 1) outside(where, "repetition of a 2-D view", "one dimension");
  TileView view = *this;
  view.num1 = count;
  view.step1 = 0;
  return view;
}

TileView TileView::each_repeated(unsigned count, SourceLine where) const {
  return repeated(count, where).transposed();
}

TileView TileView::transposed() const {
  TileView view = *this;
  std::swap(view.num0, view.num1);
  std::swap(view.step0, view.step1);
  return view;
}

TileView Tile::view() const {
  return view(0, partitions, 0, free);
}

TileView Tile::view(unsigned partition, unsigned count, unsigned first, unsigned size,
                    SourceLine where) const {
  return view_2d(partition, count, first, 1, size, 0, where);
}

TileView Tile::view_2d(unsigned partition, unsigned count, unsigned first, unsigned outer,
                       unsigned inner, unsigned pitch, SourceLine where) const {
  const std::uint64_t end = first + std::uint64_t{outer > 0 ? outer - 1 : 0} * pitch + inner;
  if (partition + count > partitions || end > free) {
    outside(where,
            "view [" + std::to_string(partition) + ".." + std::to_string(partition + count) + ", " +
                std::to_string(first) + ".." + std::to_string(end) + "] of tile '" + name + "'",
            "[" + std::to_string(partitions) + ", " + std::to_string(free) + "]");
  }
  TileView view;
  view.space = space;
  view.dtype = dtype;
  view.partition = partition;
  view.partitions = count;
  view.byte = byte + first * size_of(dtype);
  view.num0 = inner;
  view.num1 = outer;
  view.step1 = outer > 1 ? static_cast<std::int32_t>(pitch) : 0;
  return view;
}

TensorView Tensor::view(std::uint64_t row, std::uint64_t count, std::uint64_t first,
                        std::uint64_t size, SourceLine where) const {
  return slabs(row, count, 1, 0, first, size, where);
}

TensorView Tensor::slabs(std::uint64_t row, std::uint64_t count, std::uint64_t outer,
                         std::uint64_t row_pitch, std::uint64_t first, std::uint64_t size,
                         SourceLine where) const {
  const std::uint64_t last_row = row + (outer > 0 ? outer - 1 : 0) * row_pitch + count;
  if (last_row > rows || first + size > columns) {
    outside(where,
            "view [" + std::to_string(row) + ".." + std::to_string(last_row) + ", " +
                std::to_string(first) + ".." + std::to_string(first + size) + "] of tensor '" +
                name + "'",
            "[" + std::to_string(rows) + ", " + std::to_string(columns) + "]");
  }
  const std::uint64_t bytes = size_of(dtype);
  TensorView view;
  view.tensor = id;
  view.dtype = dtype;
  view.offset = (row * columns + first) * bytes;
  view.partitions = count;
  view.partition_pitch = columns * bytes;
  view.outer = outer;
  view.outer_pitch = row_pitch * columns * bytes;
  view.inner = size;
  view.row0 = row;
  view.row1 = last_row;
  view.byte0 = first * bytes;
  view.byte1 = (first + size) * bytes;
  return view;
}

TensorView Tensor::interleaved(std::uint64_t row, std::uint64_t count, std::uint64_t outer,
                               std::uint64_t first, std::uint64_t size, SourceLine where) const {
  TensorView result = view(row, count * outer, first, size, where);
  result.partitions = count;
  result.outer = outer;
  result.outer_pitch = result.partition_pitch;
  result.partition_pitch *= outer;
  return result;
}

TensorView Tensor::rows_on_partitions(std::uint64_t row, unsigned count, std::uint64_t each,
                                      SourceLine where) const {
  TensorView result = view(row, count * each, 0, columns, where);
  result.partitions = count;
  result.partition_pitch *= each;
  result.inner *= each;
  return result;
}

TensorView Tensor::replicated(std::uint64_t row, unsigned count, std::uint64_t first,
                              std::uint64_t size, SourceLine where) const {
  TensorView result = view(row, 1, first, size, where);
  result.partitions = count;
  result.partition_pitch = 0;
  return result;
}

TensorView Tensor::column_of_row(std::uint64_t row, std::uint64_t first, std::uint64_t count,
                                 SourceLine where) const {
  TensorView result = view(row, 1, first, count, where);
  result.partitions = count;
  result.partition_pitch = size_of(dtype);
  result.inner = 1;
  return result;
}

}  // namespace tern::kernels

// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/memory/views.h"

#include <utility>

#include "sw/base/user_error.h"

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

Dimension TileView::dimension(unsigned d) const {
  const Dimension all[] = {{num0, step0}, {num1, step1}, {num2, step2}, {num3, step3}};
  return d < kDimensions ? all[d] : Dimension{1, 0};
}

void TileView::set_dimension(unsigned d, Dimension to) {
  std::uint32_t* const counts[] = {&num0, &num1, &num2, &num3};
  std::int32_t* const steps[] = {&step0, &step1, &step2, &step3};
  *counts[d] = to.count;
  *steps[d] = to.step;
}

unsigned TileView::dimensions() const {
  unsigned count = kDimensions;
  while (count > 1 && dimension(count - 1).count == 1) count -= 1;
  return count;
}

TileView TileView::slice(unsigned d, unsigned first, unsigned count, SourceLine where) const {
  if (d >= kDimensions) outside(where, "slice of dimension " + std::to_string(d), "0..3");
  const Dimension whole = dimension(d);
  if (count == 0 || std::uint64_t{first} + count > whole.count) {
    outside(where,
            "slice " + std::to_string(first) + ".." + std::to_string(first + count) +
                " of dimension " + std::to_string(d),
            std::to_string(whole.count) + " elements");
  }
  TileView view = *this;
  view.byte += static_cast<std::uint32_t>(static_cast<std::int64_t>(first) * whole.step *
                                          static_cast<std::int64_t>(size_of(dtype)));
  view.set_dimension(d, {count, whole.step});
  if (count > 1 || dimensions() == 1) return view;
  for (unsigned i = d; i < kDimensions; ++i) view.set_dimension(i, view.dimension(i + 1));
  return view;
}

TileView TileView::dims(std::initializer_list<Dimension> outermost_first, SourceLine where) const {
  if (outermost_first.size() < 1 || outermost_first.size() > kDimensions) {
    outside(where, "pattern of " + std::to_string(outermost_first.size()) + " dimensions", "1..4");
  }
  TileView view = *this;
  for (unsigned d = 0; d < kDimensions; ++d) view.set_dimension(d, {1, 0});
  unsigned d = static_cast<unsigned>(outermost_first.size());
  for (const Dimension& dimension : outermost_first) view.set_dimension(--d, dimension);
  return view;
}

TileView TileView::split(unsigned inner, SourceLine where) const {
  if (inner == 0 || num0 % inner != 0) {
    outside(where, "split of " + std::to_string(num0) + " elements by " + std::to_string(inner),
            "its divisors");
  }
  if (inner == num0) return *this;
  const auto distance = static_cast<std::int32_t>(inner) * step0;
  TileView view = each_repeated(inner, where);  // the dimensions move outwards
  view.set_dimension(1, {num0 / inner, distance});
  view.set_dimension(0, {inner, step0});
  return view;
}

TileView TileView::flat(SourceLine where) const {
  TileView view = *this;
  std::int64_t next = std::int64_t{num0} * step0;
  for (unsigned d = 1; d < kDimensions; ++d) {
    const Dimension outer = dimension(d);
    if (outer.count == 1) continue;
    if (outer.step != next && view.num0 != 1) {
      outside(where, "a pattern with gaps seen as one dimension", "what a step can express");
    }
    if (view.num0 == 1) view.step0 = outer.step;
    view.num0 *= outer.count;
    next = std::int64_t{view.num0} * view.step0;
  }
  for (unsigned d = 1; d < kDimensions; ++d) view.set_dimension(d, {1, 0});
  return view;
}

TileView TileView::broadcast(unsigned count, SourceLine where) const {
  if (elements() != 1)
    outside(where, "broadcast of " + std::to_string(elements()) + " columns", "1");
  return dims({{count, 0}}, where);
}

TileView TileView::repeated(unsigned count, SourceLine where) const {
  const unsigned d = dimensions();
  if (d == kDimensions) outside(where, "repetition of a 4-D view", "four dimensions");
  TileView view = *this;
  view.set_dimension(d, {count, 0});
  return view;
}

TileView TileView::each_repeated(unsigned count, SourceLine where) const {
  TileView view = repeated(1, where);
  for (unsigned d = kDimensions - 1; d > 0; --d) view.set_dimension(d, dimension(d - 1));
  view.set_dimension(0, {count, 0});
  return view;
}

TileView TileView::transposed() const {
  TileView view = *this;
  std::swap(view.num0, view.num1);
  std::swap(view.step0, view.step1);
  return view;
}

TileView TileView::permuted(std::initializer_list<unsigned> order, SourceLine where) const {
  unsigned seen = 0;
  for (const unsigned d : order) seen |= d < kDimensions ? 1u << d : 0;
  const auto count = static_cast<unsigned>(order.size());
  if (count < dimensions() || count > kDimensions || seen != (1u << count) - 1) {
    outside(where, "permutation of " + std::to_string(count) + " dimensions",
            "the view's " + std::to_string(dimensions()) + ", each once");
  }
  TileView view = *this;
  unsigned to = count;
  for (const unsigned from : order) view.set_dimension(--to, dimension(from));
  return view;
}

TileView TileView::as(DType other, SourceLine where) const {
  if (size_of(other) != size_of(dtype)) {
    outside(where,
            std::string(numerics::dtype_name(dtype)) + " seen as " +
                std::string(numerics::dtype_name(other)),
            "formats of " + std::to_string(size_of(dtype)) + " bytes");
  }
  TileView view = *this;
  view.dtype = other;
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

TileView Tile::pattern(unsigned partition, unsigned count, unsigned first,
                       std::initializer_list<Dimension> outermost_first, SourceLine where) const {
  const TileView view = this->view(partition, count, first, 1, where).dims(outermost_first, where);
  std::int64_t low = first, high = first;
  for (unsigned d = 0; d < TileView::kDimensions; ++d) {
    const Dimension dimension = view.dimension(d);
    const std::int64_t reach = dimension.step * (std::int64_t{dimension.count} - 1);
    (reach < 0 ? low : high) += reach;
  }
  if (low < 0 || high >= std::int64_t{free}) {
    outside(where,
            "pattern over elements " + std::to_string(low) + ".." + std::to_string(high + 1) +
                " of tile '" + name + "'",
            "[" + std::to_string(partitions) + ", " + std::to_string(free) + "]");
  }
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

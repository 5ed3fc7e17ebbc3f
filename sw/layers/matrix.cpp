// SPDX-License-Identifier: Apache-2.0
#include "sw/layers/matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/base/user_error.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/spec/access_pattern.h"

namespace tern::layers {

namespace {

void require_inside(std::uint32_t first, std::uint32_t count, std::uint32_t all, const char* what,
                    SourceLine where) {
  if (count >= 1 && first <= all && count <= all - first) return;
  throw UserError(fmt::format("{}: {} {}..{} of a matrix with {}", where.text(), what, first,
                              std::uint64_t{first} + count, all));
}

}  // namespace

unsigned Matrix::slab_rows(unsigned slab) const {
  return std::min(kSlab, rows - slab * kSlab);
}

TileView Matrix::block(unsigned slab, std::uint32_t first, std::uint32_t count,
                       SourceLine where) const {
  require_inside(slab, 1, slabs(), "slabs", where);
  require_inside(first, count, columns, "columns", where);
  TileView view;
  view.dtype = dtype;
  view.partition = partition_;
  view.partitions = slab_rows(slab);
  view.byte =
      byte_ + (slab * pitch_ + first) * static_cast<std::uint32_t>(numerics::dtype_size(dtype));
  view.num0 = count;
  return view;
}

std::vector<TileView> Matrix::pieces() const {
  const std::uint32_t whole = rows / kSlab;
  std::vector<TileView> result;
  if (whole > 1) {
    TileView view = slab(0);
    view.set_dimension(1, {whole, static_cast<std::int32_t>(pitch_)});
    result.push_back(pitch_ == columns ? view.flat() : view);
  } else if (whole == 1) {
    result.push_back(slab(0));
  }
  if (rows % kSlab != 0) result.push_back(slab(whole));
  return result;
}

std::vector<TileView> Matrix::pieces_for(std::uint32_t other_rows) const {
  const std::uint32_t whole = other_rows / kSlab, rest = other_rows % kSlab;
  std::vector<TileView> result;
  if (whole > 1) result.push_back(slab(0).repeated(whole));
  if (whole == 1) result.push_back(slab(0));
  if (rest != 0) result.push_back(slab(0).rows(0, rest));
  return result;
}

Matrix Matrix::part_columns(std::uint32_t first, std::uint32_t count, SourceLine where) const {
  require_inside(first, count, columns, "columns", where);
  Matrix part = *this;
  part.columns = count;
  part.byte_ += first * static_cast<std::uint32_t>(numerics::dtype_size(dtype));
  return part;
}

Matrix Matrix::part_rows(std::uint32_t first, std::uint32_t count, SourceLine where) const {
  require_inside(first, count, rows, "rows", where);
  Matrix part = *this;
  part.rows = count;
  part.byte_ += first / kSlab * pitch_ * static_cast<std::uint32_t>(numerics::dtype_size(dtype));
  part.partition_ += first % kSlab;
  if (part.partition_ != 0 &&
      (part.partition_ + count > kSlab || !start_partition_allowed(part.partition_, count))) {
    throw UserError(fmt::format("{}: {} rows cannot begin on partition {}", where.text(), count,
                                part.partition_));
  }
  return part;
}

}  // namespace tern::layers

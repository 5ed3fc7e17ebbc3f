// SPDX-License-Identifier: Apache-2.0
#include "sw/layers/memory.h"

#include <algorithm>

#include "sw/base/math.h"
#include "sw/kernels/builder/memory/limits.h"

namespace tern::layers {

namespace {

// Slabs of a matrix begin at multiples of the alignment of a stationary operand.
std::uint32_t pitch_of(std::uint32_t columns, DType dtype) {
  const auto size = static_cast<std::uint32_t>(numerics::dtype_size(dtype));
  const std::uint32_t step = std::max(1u, kernels::kStationaryAlignment / size);
  return round_up(columns, step);
}

}  // namespace

std::shared_ptr<const Layers::Memory::Lease> Layers::Memory::allocate(std::uint32_t elements,
                                                                      DType dtype,
                                                                      SourceLine where) {
  const std::uint64_t bytes = std::uint64_t{elements} * numerics::dtype_size(dtype);
  while (!retired_.empty() && (retired_.size() > kKept || kb_.sbuf_largest_free() < bytes)) {
    kb_.release(retired_.front(), where);
    retired_.pop_front();
  }
  return std::make_shared<Lease>(
      shared_from_this(), kb_.sbuf_tile("matrix", kernels::kPartitions, elements, dtype, where));
}

Matrix Layers::make(std::uint32_t rows, std::uint32_t columns, DType dtype, SourceLine where) {
  Matrix matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.dtype = dtype;
  matrix.pitch_ = pitch_of(columns, dtype);
  const auto lease = memory_->allocate(matrix.slabs() * matrix.pitch_, dtype, where);
  matrix.byte_ = lease->tile.byte;
  matrix.memory_ = lease;
  return matrix;
}

Matrix Layers::filled(std::uint32_t rows, std::uint32_t columns, DType dtype, float value,
                      SourceLine where) {
  Matrix matrix = make(rows, columns, dtype, where);
  for (const TileView& piece : matrix.pieces()) {
    kb_.memset(piece, value, kernels::Engine::kVector, where);
  }
  return matrix;
}

void Layers::load(const Matrix& dst, const Tensor& src, std::uint64_t row, std::uint64_t first,
                  SourceLine where) {
  for (const TileView& piece : dst.pieces()) {
    const std::uint64_t slabs = piece.elements() / dst.columns;
    kb_.dma_load(piece,
                 src.slabs(row, piece.partitions, slabs, Matrix::kSlab, first, dst.columns, where),
                 where);
    row += slabs * Matrix::kSlab;
  }
}

void Layers::store(const Tensor& dst, const Matrix& src, std::uint64_t row, std::uint64_t first,
                   SourceLine where) {
  for (const TileView& piece : src.pieces()) {
    const std::uint64_t slabs = piece.elements() / src.columns;
    kb_.dma_store(dst.slabs(row, piece.partitions, slabs, Matrix::kSlab, first, src.columns, where),
                  piece, where);
    row += slabs * Matrix::kSlab;
  }
}

Matrix Layers::load(const Tensor& src, SourceLine where) {
  Matrix matrix = make(static_cast<std::uint32_t>(src.rows),
                       static_cast<std::uint32_t>(src.columns), src.dtype, where);
  load(matrix, src, 0, 0, where);
  return matrix;
}

void Layers::collective(const collectives::Schedule& schedule, const Matrix& matrix,
                        const std::vector<std::vector<unsigned>>& groups, SourceLine where) {
  for (const TileView& piece : matrix.pieces()) {
    for (std::uint32_t slab = 0; slab < piece.num1; ++slab) {
      kernels::CollectiveOperands operands;
      operands.data = piece.slice(1, slab, 1);
      kb_.collective(schedule, operands, {0, groups}, where);
    }
  }
}

Matrix Layers::load_row(const Tensor& src, std::uint64_t row, SourceLine where) {
  const auto columns = static_cast<std::uint32_t>(src.columns);
  Matrix matrix = make(Matrix::kSlab, columns, src.dtype, where);
  kb_.dma_load(matrix.slab(0), src.replicated(row, Matrix::kSlab, 0, columns, where), where);
  return matrix;
}

Matrix Layers::load_column(const Tensor& src, std::uint32_t rows, std::uint64_t row,
                           std::uint64_t first, SourceLine where) {
  Matrix matrix = make(rows, 1, src.dtype, where);
  for (unsigned s = 0; s < matrix.slabs(); ++s) {
    kb_.dma_load(matrix.slab(s),
                 src.column_of_row(row, first + std::uint64_t{s} * Matrix::kSlab,
                                   matrix.slab_rows(s), where),
                 where);
  }
  return matrix;
}

}  // namespace tern::layers

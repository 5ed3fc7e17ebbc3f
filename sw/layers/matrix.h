// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sw/kernels/builder/memory/views.h"

namespace tern::layers {

using kernels::DType;
using kernels::TileView;

// A matrix in SBUF: rows on partitions in slabs of 128, slab s in elements [s * pitch, s * pitch +
// columns) of every partition. A handle: copies are the same matrix, and its memory is freed
// when the last copy is destroyed. A bias or gain shared by all rows is a matrix of 128 equal rows.
class Matrix {
 public:
  static constexpr std::uint32_t kSlab = 128;

  std::uint32_t rows = 0, columns = 0;
  DType dtype = DType::kFp32;

  unsigned slabs() const { return (rows + kSlab - 1) / kSlab; }
  unsigned slab_rows(unsigned slab) const;
  // Columns [first, first + count) of one slab.
  TileView block(unsigned slab, std::uint32_t first, std::uint32_t count,
                 SourceLine where = SourceLine::here()) const;
  TileView slab(unsigned slab) const { return block(slab, 0, columns); }
  // All elements in as few views as possible: the whole slabs as [128, slabs, columns], then
  // the rest. Matrices of the same rows are divided into the same pieces.
  std::vector<TileView> pieces() const;
  // Of 128 equal rows: the counterpart of each piece of a matrix with `rows` rows.
  std::vector<TileView> pieces_for(std::uint32_t rows) const;

  // Parts, in the same memory. Rows begin at a multiple of 128, or are in one slab from partition
  // 32, 64 or 96 on (sw/kernels/builder/memory/limits.h).
  Matrix part_columns(std::uint32_t first, std::uint32_t count,
                      SourceLine where = SourceLine::here()) const;
  Matrix part_rows(std::uint32_t first, std::uint32_t count,
                   SourceLine where = SourceLine::here()) const;

 private:
  friend class Layers;
  std::uint32_t byte_ = 0;   // of element [0, 0]
  std::uint32_t pitch_ = 0;  // elements from slab to slab
  unsigned partition_ = 0;   // of row 0; other than 0 only with one slab
  std::shared_ptr<const void> memory_;
};

// The operand of an MX product in SBUF: x4 elements and scales. Row k of the matrix is element
// k / 128 % 4 of the x4 element in partition k % 128 of group k / 512: a block of 32 is 8
// consecutive rows of four adjacent slabs. Missing rows of the last group are zero.
struct MxMatrix {
  std::uint32_t rows = 0, columns = 0;
  Matrix elements, scales;  // a slab of them is a group

  unsigned groups() const { return elements.slabs(); }
};

}  // namespace tern::layers

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/kernels/builder/memory/hazards.h"
#include "sw/kernels/builder/memory/views.h"
#include "sw/runtime/executable.h"

namespace tern::kernels {

// One side of a transfer: a tile in SBUF or a tensor in HBM, as elements in a pattern of bytes.
struct DmaView {
  struct Dim {
    std::uint64_t count = 1;
    std::int64_t pitch = 0;  // bytes
  };

  DmaView(const TileView& tile);  // NOLINT: a tile or a tensor converts implicitly
  DmaView(const Tile& tile) : DmaView(tile.view()) {}  // NOLINT
  DmaView(const TensorView& tensor);                   // NOLINT

  bool in_hbm() const { return base.space == DmaAddress::Space::kTensor; }
  std::uint64_t element_bytes() const { return numerics::dtype_size(dtype); }
  std::uint64_t elements() const;
  // Elements of a row follow one another; rows are dims[0].
  bool has_contiguous_rows() const;
  std::uint64_t row_elements() const { return elements() / dims[0].count; }
  HazardMap::Access access(bool write) const;

  DType dtype = DType::kFp32;
  DmaAddress base;                   // of the first element
  std::optional<TileView> tile;      // in SBUF
  std::optional<TensorView> tensor;  // in HBM
  std::vector<Dim> dims;             // from the outermost, partitions or rows first
};

// Common pattern of the elements of two sides: runs that are contiguous on both, repeated.
struct DmaPattern {
  struct Dim {
    std::uint64_t count = 1;
    std::int64_t dst = 0, src = 0;  // bytes
  };
  std::uint64_t run = 0;  // bytes
  // From the innermost; the last one, partitions or rows, is present even with one element.
  std::vector<Dim> dims;
};

// None if no pattern fits both: the dimensions of one must divide those of the other. Both have
// elements of one size.
std::optional<DmaPattern> match(const DmaView& dst, const DmaView& src);

}  // namespace tern::kernels

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sw/kernels/builder/source_line.h"
#include "systemc/numerics/dtype.h"

namespace tern::kernels {

using numerics::DType;

enum class Space : std::uint8_t { kSbuf, kPsum };

// What an instruction reads or writes on chip: the same 2-D pattern of elements on `partitions`
// partitions. Element (i1, i0) lies i1 * step1 + i0 * step0 elements after `byte`.
struct TileView {
  Space space = Space::kSbuf;
  DType dtype = DType::kFp32;
  unsigned partition = 0, partitions = 0;
  std::uint32_t byte = 0;
  std::uint32_t num0 = 0, num1 = 1;
  std::int32_t step0 = 1, step1 = 0;

  std::uint64_t elements() const { return std::uint64_t{num0} * num1; }
  // Partitions [first, first + count) of this view.
  TileView rows(unsigned first, unsigned count, SourceLine where = SourceLine::here()) const;
  // Elements [first, first + count) of the inner dimension.
  TileView columns(unsigned first, unsigned count, SourceLine where = SourceLine::here()) const;
  // The one column [partitions, 1] repeated `count` times along the free axis.
  TileView broadcast(unsigned count, SourceLine where = SourceLine::here()) const;
  // Of a one-dimensional view: all of it `count` times, [count, num0].
  TileView repeated(unsigned count, SourceLine where = SourceLine::here()) const;
  // Of a one-dimensional view: every element `count` times, [num0, count].
  TileView each_repeated(unsigned count, SourceLine where = SourceLine::here()) const;
  // The same elements, outer and inner dimension exchanged.
  TileView transposed() const;
};

// A piece of on-chip memory: `partitions` x `free` contiguous elements. A plain handle; the builder
// owns the memory.
struct Tile {
  std::string name;
  Space space = Space::kSbuf;
  DType dtype = DType::kFp32;
  unsigned partitions = 0;
  std::uint32_t free = 0;  // elements per partition
  std::uint32_t byte = 0;  // where it starts in each partition

  TileView view() const;
  // Partitions [partition, partition + count) of elements [first, first + size).
  TileView view(unsigned partition, unsigned count, unsigned first, unsigned size,
                SourceLine where = SourceLine::here()) const;
  // The same seen as [outer, inner]: `outer` groups of `inner` elements, `pitch` elements apart.
  TileView view_2d(unsigned partition, unsigned count, unsigned first, unsigned outer,
                   unsigned inner, unsigned pitch, SourceLine where = SourceLine::here()) const;
  operator TileView() const { return view(); }  // a tile stands for all of itself
};

// A tensor in HBM, as the builder hands it out.
struct Tensor {
  std::uint32_t id = 0;
  std::string name;
  DType dtype = DType::kFp32;
  std::uint64_t rows = 0, columns = 0;  // the leading dimensions multiplied; the last one

  struct View;
  // Rows [row, row + count) x columns [first, first + size): one row per partition.
  View view(std::uint64_t row, std::uint64_t count, std::uint64_t first, std::uint64_t size,
            SourceLine where = SourceLine::here()) const;
  // `outer` such blocks, `row_pitch` rows apart, side by side on the free axis.
  View slabs(std::uint64_t row, std::uint64_t count, std::uint64_t outer, std::uint64_t row_pitch,
             std::uint64_t first, std::uint64_t size, SourceLine where = SourceLine::here()) const;
  // Partition p holds rows row + p * outer .. + outer - 1 side by side: the planes of a sparse
  // product's moving operand.
  View interleaved(std::uint64_t row, std::uint64_t count, std::uint64_t outer, std::uint64_t first,
                   std::uint64_t size, SourceLine where = SourceLine::here()) const;
  // `each` whole rows, one contiguous run, on each of `count` partitions.
  View rows_on_partitions(std::uint64_t row, unsigned count, std::uint64_t each,
                          SourceLine where = SourceLine::here()) const;
  // One row on each of `count` partitions.
  View replicated(std::uint64_t row, unsigned count, std::uint64_t first, std::uint64_t size,
                  SourceLine where = SourceLine::here()) const;
  // Elements [first, first + count) of a row, one per partition.
  View column_of_row(std::uint64_t row, std::uint64_t first, std::uint64_t count,
                     SourceLine where = SourceLine::here()) const;
};

// What a DMA transfer reads or writes in HBM: for each partition, `outer` runs of `inner`
// contiguous elements.
struct Tensor::View {
  std::uint32_t tensor = 0;
  DType dtype = DType::kFp32;
  std::uint64_t offset = 0;                           // bytes
  std::uint64_t partitions = 0, partition_pitch = 0;  // pitch in bytes; 0 repeats
  std::uint64_t outer = 1, outer_pitch = 0;           // pitch in bytes
  std::uint64_t inner = 0;                            // elements
  // Rectangle of the tensor it lies in, for hazards: rows and bytes of a row.
  std::uint64_t row0 = 0, row1 = 0, byte0 = 0, byte1 = 0;
};

using TensorView = Tensor::View;

}  // namespace tern::kernels

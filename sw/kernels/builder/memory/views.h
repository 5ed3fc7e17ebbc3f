// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "sw/base/source_line.h"
#include "sw/numerics/dtype.h"

namespace tern::kernels {

using numerics::DType;

enum class Space : std::uint8_t { kSbuf, kPsum };

// One free dimension of a pattern: `count` elements, `step` elements apart. Step 0 repeats.
struct Dimension {
  std::uint32_t count = 1;
  std::int32_t step = 1;
};

// What an instruction reads or writes on chip: the same pattern of elements, up to four dimensions,
// on `partitions` partitions. Element (i3, i2, i1, i0) is i0 * step0 + i1 * step1 + ... elements
// after `byte`; i0 runs fastest. Shapes and lists of dimensions are written from the outermost to
// the innermost, as [P, n3, n2, n1, n0]; outer dimensions of one element are omitted.
struct TileView {
  Space space = Space::kSbuf;
  DType dtype = DType::kFp32;
  unsigned partition = 0, partitions = 0;
  std::uint32_t byte = 0;
  std::uint32_t num0 = 0, num1 = 1;
  std::int32_t step0 = 1, step1 = 0;
  std::uint32_t num2 = 1, num3 = 1;
  std::int32_t step2 = 0, step3 = 0;
  // Not 0: a register of the instruction's queue, in bytes, moves all of it (KernelBuilder::
  // load_offset), anywhere in [moved_begin, moved_end) of a partition.
  std::uint8_t moved_by = 0;
  std::uint32_t moved_begin = 0, moved_end = 0;

  static constexpr unsigned kDimensions = 4;
  std::uint64_t elements() const { return std::uint64_t{num0} * num1 * num2 * num3; }
  // By number, 0 innermost.
  Dimension dimension(unsigned d) const;
  void set_dimension(unsigned d, Dimension to);
  // Number of dimensions: the outermost one with more than one element, at least 1.
  unsigned dimensions() const;

  // Partitions [first, first + count) of this view.
  TileView rows(unsigned first, unsigned count, SourceLine where = SourceLine::here()) const;
  // Elements [first, first + count) of the inner dimension.
  TileView columns(unsigned first, unsigned count, SourceLine where = SourceLine::here()) const;
  // Elements [first, first + count) of dimension d (0 innermost); one element drops the dimension.
  TileView slice(unsigned d, unsigned first, unsigned count,
                 SourceLine where = SourceLine::here()) const;
  // From this view's first element on, whatever its dimensions were: a custom pattern. An
  // instruction refuses it if it leaves the partition, not if it leaves the tile.
  TileView dims(std::initializer_list<Dimension> outermost_first,
                SourceLine where = SourceLine::here()) const;
  // The inner dimension in pieces of `inner` elements: [.., n] becomes [.., n / inner, inner].
  TileView split(unsigned inner, SourceLine where = SourceLine::here()) const;
  // The same elements seen as one dimension; the pattern must allow it.
  TileView flat(SourceLine where = SourceLine::here()) const;
  // The one column [partitions, 1] repeated `count` times along the free axis.
  TileView broadcast(unsigned count, SourceLine where = SourceLine::here()) const;
  // All of it `count` times: [.., n] becomes [count, .., n].
  TileView repeated(unsigned count, SourceLine where = SourceLine::here()) const;
  // Every element `count` times: [.., n] becomes [.., n, count].
  TileView each_repeated(unsigned count, SourceLine where = SourceLine::here()) const;
  // The same elements, the two inner dimensions exchanged.
  TileView transposed() const;
  // The dimensions in this order, given by number from the outermost to the innermost: of a view
  // [P, a, b, c], permuted({0, 2, 1}) is [P, c, a, b].
  TileView permuted(std::initializer_list<unsigned> order,
                    SourceLine where = SourceLine::here()) const;
  // The same bytes as elements of another format of the same size.
  TileView as(DType other, SourceLine where = SourceLine::here()) const;
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
  // One column, [partitions, 1].
  TileView column(unsigned index, SourceLine where = SourceLine::here()) const {
    return view(0, partitions, index, 1, where);
  }
  // Any pattern of up to four dimensions inside the tile, from element `first` on.
  TileView pattern(unsigned partition, unsigned count, unsigned first,
                   std::initializer_list<Dimension> outermost_first,
                   SourceLine where = SourceLine::here()) const;
  operator TileView() const { return view(); }  // a tile converts to a view of all of it
};

// A tensor in HBM, as the builder returns it.
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
  // Enclosing rectangle of the tensor, for hazards: rows and bytes of a row.
  std::uint64_t row0 = 0, row1 = 0, byte0 = 0, byte1 = 0;
};

using TensorView = Tensor::View;

}  // namespace tern::kernels

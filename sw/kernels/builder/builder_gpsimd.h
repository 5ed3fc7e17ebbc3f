// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/kernels/builder/builder_special.h"

namespace tern::kernels {

// What only GpSimd has, and programs of its processors.
class GpsimdCalls : public SpecialCalls {
 public:
  using SpecialCalls::SpecialCalls;

  // GpSimd: dst = the pattern's values; dst = (pattern's value op 0) ? src : fill, op is_eq ..
  // is_lt.
  void iota(const TileView& dst, const IndexPattern& index, SourceLine where = SourceLine::here());
  void affine_select(const TileView& dst, const TileView& src, const IndexPattern& index, Alu op,
                     float fill, SourceLine where = SourceLine::here());

  // Per core of 16 partitions, all operands on the same ones, P a multiple of 16. Result i of the
  // core comes from list item i, which is in partition i % 16 and column i / 16 of `indices`:
  // uint16, counted in elements of src. dst[p] = the `each` elements of src[p] at every index; each
  // is 1, 2, .. 32.
  void local_gather(const TileView& dst, const TileView& src, const TileView& indices,
                    unsigned each = 1, SourceLine where = SourceLine::here());
  // dst[p, i] = src[p, indices[p, i]], indices uint32.
  void nc_n_gather(const TileView& dst, const TileView& src, const TileView& indices,
                   SourceLine where = SourceLine::here());
  // On partitions 0, 16, .. 112: dst (int32, one element more than src) = indices of the non-zero
  // elements of src (fp32 or int32) plus `offset`, then `padding`, finally their number.
  void nonzero_with_count(const TileView& dst, const TileView& src, std::int32_t padding = -1,
                          std::int32_t offset = 0, SourceLine where = SourceLine::here());
  // dst [P, 2 N] = N starts, then N ends, of the runs of equal ids in src [P, N].
  void sequence_bounds(const TileView& dst, const TileView& src,
                       SourceLine where = SourceLine::here());
  // Per core of 16 partitions: the `count` largest of `elements` elements of src (bf16), ascending,
  // and their indices (uint32). Element i of a core is in partition i % 16, column i / 16; so are
  // the results.
  void topk(const TileView& dst, const TileView& indices, const TileView& src, unsigned elements,
            unsigned count, SourceLine where = SourceLine::here());
  // dst [1, F] = op (add, max, bit_and, bit_or) over the partitions of src [P, F].
  void tensor_partition_reduce(const TileView& dst, Alu op, const TileView& src,
                               SourceLine where = SourceLine::here());

  // GpSimd engine: runs a program (an ELF file: sw/gpsimd/README.md) on the processors of a mask,
  // bit i for partitions 16 i .. 16 i + 15, with up to eight arguments. `reads` and `writes`: every
  // part of SBUF that it uses, on these partitions.
  void custom_op(const Blob& program, unsigned processors,
                 const std::vector<std::uint32_t>& arguments, const std::vector<TileView>& reads,
                 const std::vector<TileView>& writes, SourceLine where = SourceLine::here());
};

}  // namespace tern::kernels

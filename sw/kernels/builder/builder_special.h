// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "sw/kernels/builder/builder_selections.h"

namespace tern::kernels {

// Statistics, searches, random numbers.
class SpecialCalls : public SelectionCalls {
 public:
  using SelectionCalls::SelectionCalls;

  // Vector engine: statistics and searches. bn_stats: dst [P, 6] = count, mean, sum of squared
  // deviations of the even, then of the odd elements of src, at most 512 of them. bn_aggr: dst
  // [P, 2] = mean and variance of such groups, [P, 3 n].
  void bn_stats(const TileView& dst, const TileView& src, SourceLine where = SourceLine::here());
  void bn_aggr(const TileView& dst, const TileView& src, SourceLine where = SourceLine::here());
  // The eight largest, descending; the first index of each of eight values (uint32, uint16; all
  // ones if absent); src with the first match of each of eight values replaced. src: 8..16,384
  // elements.
  void max8(const TileView& dst, const TileView& src, SourceLine where = SourceLine::here());
  void nc_find_index8(const TileView& dst, const TileView& src, const TileView& values,
                      SourceLine where = SourceLine::here());
  void nc_match_replace8(const TileView& dst, const TileView& src, const TileView& values,
                         float replacement, SourceLine where = SourceLine::here());
  // In each group of 32 partitions, partition i gets partition mask[i]; 255: it is unchanged.
  void nc_stream_shuffle(const TileView& dst, const TileView& src,
                         const std::array<std::uint8_t, 32>& mask,
                         SourceLine where = SourceLine::here());

  // Random numbers: every partition has separate generators, four on Vector, one on Scalar and
  // one on GpSimd; they continue from instruction to instruction of the queue. dropout: dst = a
  // uniform number < probability ? 0 : src. rng: random bits, cut to the integer format. rand2:
  // uniform in [low, high), fp32. Scalar's only round (element_rounding). A state has 24 words per
  // partition on Vector, 6 on the others (uint32). A seed reaches all states of its engine.
  void dropout(const TileView& dst, const TileView& src, const ScalarOperand& probability,
               SourceLine where = SourceLine::here());
  void rng(const TileView& dst, Engine engine = Engine::kVector,
           SourceLine where = SourceLine::here());
  void rand2(const TileView& dst, const ScalarOperand& low, const ScalarOperand& high,
             SourceLine where = SourceLine::here());
  void set_rng_seed(const TileView& seed, Engine engine = Engine::kVector,
                    SourceLine where = SourceLine::here());
  void rand_set_state(const TileView& state, Engine engine = Engine::kVector,
                      SourceLine where = SourceLine::here());
  void rand_get_state(const TileView& state, Engine engine = Engine::kVector,
                      SourceLine where = SourceLine::here());
};

}  // namespace tern::kernels

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sw/kernels/builder/dma/dma_plan.h"
#include "sw/kernels/builder/memory/views.h"

namespace tern::kernels {

// One of cores 0 .. cores - 1 of the chip. Each has a separate program; all lay out their tiles
// alike.
struct CoreGroup {
  unsigned core = 0, cores = 1;
  // Begins with the next one, so that not all address the same core at a time.
  unsigned other(unsigned i) const { return (core + i) % cores; }  // i from 1
};

// Sums of the data that the cores hold at the same address. The partitions are divided: a core adds
// the others' data to its own partitions, one core after the other, and sends the sums to all.
//
// The part of `view` on the core's own partitions; none if empty.
std::optional<TileView> own_rows(const CoreGroup& group, const TileView& view);
// The rest: above and below.
std::vector<TileView> other_rows(const CoreGroup& group, const TileView& view);

// Descriptors as plan_transfer() makes them. Adds one to `flag` in every other core.
EngineDescriptors plan_flags(const CoreGroup& group, unsigned flag, unsigned semaphore);
// Own partitions += those of the next core, of the one after it, ..., in this order: the bits do
// not depend on time. Contiguous rows of FP32; faster where they begin at multiples of 64 bytes:
// up to kMaxSources of the others are added up, then to the own, then the next ones.
EngineDescriptors plan_core_sum(const CoreGroup& group, const std::vector<TileView>& views,
                                unsigned semaphore);
// Own partitions to all other cores; then every engine adds one to `flag` there.
EngineDescriptors plan_core_spread(const CoreGroup& group, const std::vector<TileView>& views,
                                   unsigned flag, unsigned semaphore);

}  // namespace tern::kernels

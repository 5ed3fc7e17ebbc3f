// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/cores/core_exchange.h"

#include <algorithm>

#include "sw/base/math.h"
#include "sw/kernels/builder/dma/dma_lists.h"
#include "sw/kernels/builder/dma/packet_list.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/spec/descriptor_pack.h"
#include "sw/spec/generated/address_map.h"

namespace tern::kernels {

namespace {

constexpr unsigned kEngines = Executable::kEngines;
constexpr std::uint32_t kBeatBytes = TERN_DMA_BEAT_BYTES;

DmaAddress here(std::uint64_t offset) {
  return {DmaAddress::Space::kCore, 0, offset};
}

DmaAddress in_core(unsigned core, std::uint64_t offset) {
  return {DmaAddress::Space::kPeer, core, offset};
}

struct Rows {
  unsigned begin, end;
};

Rows rows_of(const CoreGroup& group) {
  return {group.core * kPartitions / group.cores, (group.core + 1) * kPartitions / group.cores};
}

// Data that an engine moves on the core's own partitions: adjacent bytes of one partition.
struct Run {
  std::uint64_t offset, bytes;  // offset in the core's window
};

std::vector<Run> runs_of(const CoreGroup& group, const std::vector<TileView>& views,
                         unsigned engine) {
  const Rows own = rows_of(group);
  std::vector<Run> runs;
  for (unsigned p = own.begin; p < own.end; ++p) {
    if ((p - own.begin) * kEngines / (own.end - own.begin) != engine) continue;
    for (const TileView& view : views) {
      if (p < view.partition || p >= view.partition + view.partitions) continue;
      const std::uint64_t bytes = view.elements() * numerics::dtype_size(view.dtype);
      const std::uint64_t offset = TERN_CORE_SBUF_BASE + p * TERN_CORE_SBUF_STRIDE + view.byte;
      if (!runs.empty() && runs.back().offset + runs.back().bytes == offset) {
        runs.back().bytes += bytes;
      } else {
        runs.push_back({offset, bytes});
      }
    }
  }
  return runs;
}

// Of the other cores, in their order: those that the engines read at a time.
constexpr unsigned batches_of(const CoreGroup& group) {
  return ceil_div(group.cores - 1, kMaxSources);
}

// The engines read the sources of a batch and add in their order; one write adds to the
// destination.
EngineDescriptors sum_in_engines(const CoreGroup& group, unsigned batch, const TileView& own,
                                 unsigned semaphore) {
  DmaOperation add;
  add.op = TERN_DMA_OP_ADD;
  add.write_op = TERN_DMA_WRITE_OP_ADD_FP32;
  const DmaView here_view(own);
  std::vector<DmaView> sources;
  const unsigned first = 1 + batch * kMaxSources;
  for (unsigned i = first; i < std::min(first + kMaxSources, group.cores); ++i) {
    sources.push_back(here_view);
    sources.back().base = in_core(group.other(i), here_view.base.offset);
  }
  return plan_compute(here_view, sources, add, semaphore);
}

// Operations require rows that begin at multiples of 64 bytes; additions near the memory do not,
// but each source is written separately: one begins when the previous one is complete.
std::vector<DescriptorPair> sum_one_by_one(const CoreGroup& group, const std::vector<Run>& runs) {
  DescriptorOperation add;
  add.write_op = TERN_DMA_WRITE_OP_ADD_FP32;
  PacketList list;
  for (unsigned i = 1; i < group.cores; ++i) {
    if (i > 1) list.barrier();
    for (const Run& run : runs)
      list.add(in_core(group.other(i), run.offset), here(run.offset), run.bytes, add.word());
  }
  return list.take();
}

}  // namespace

std::optional<TileView> own_rows(const CoreGroup& group, const TileView& view) {
  const Rows own = rows_of(group);
  const unsigned begin = std::max(own.begin, view.partition);
  const unsigned end = std::min(own.end, view.partition + view.partitions);
  if (begin >= end) return std::nullopt;
  return view.rows(begin - view.partition, end - begin);
}

std::vector<TileView> other_rows(const CoreGroup& group, const TileView& view) {
  const Rows own = rows_of(group);
  std::vector<TileView> parts;
  const unsigned view_end = view.partition + view.partitions;
  if (view.partition < own.begin)
    parts.push_back(view.rows(0, std::min(own.begin, view_end) - view.partition));
  if (own.end < view_end) {
    const unsigned begin = std::max(own.end, view.partition);
    parts.push_back(view.rows(begin - view.partition, view_end - begin));
  }
  return parts;
}

EngineDescriptors plan_flags(const CoreGroup& group, unsigned flag, unsigned semaphore) {
  std::vector<PacketList> lists(kEngines);
  for (unsigned i = 1; i < group.cores; ++i)
    lists[(i - 1) % kEngines].increment(flag, group.other(i));
  EngineDescriptors result;
  for (unsigned e = 0; e < kEngines; ++e) {
    lists[e].increment(semaphore);
    result[e] = lists[e].take();
  }
  return result;
}

EngineDescriptors plan_core_sum(const CoreGroup& group, const std::vector<TileView>& views,
                                unsigned semaphore) {
  EngineDescriptors result;
  std::vector<TileView> aligned, unaligned;  // what of them is on own partitions
  for (const TileView& view : views) {
    if (view.byte % kBeatBytes != 0) {
      unaligned.push_back(view);
    } else if (const auto own = own_rows(group, view)) {
      aligned.push_back(*own);
    }
  }
  for (unsigned batch = 0; batch < batches_of(group); ++batch) {
    EngineDescriptors sums;
    for (const TileView& own : aligned) {
      const EngineDescriptors plan = sum_in_engines(group, batch, own, semaphore);
      for (unsigned e = 0; e < kEngines; ++e)  // without its semaphore
        sums[e].insert(sums[e].end(), plan[e].begin(), plan[e].end() - 1);
    }
    for (unsigned e = 0; e < kEngines; ++e) {
      // An engine has the same pieces in every batch: it adds when the one before is complete.
      if (batch > 0 && !sums[e].empty()) sums[e].front().barrier = true;
      result[e].insert(result[e].end(), sums[e].begin(), sums[e].end());
    }
  }
  for (unsigned e = 0; e < kEngines; ++e) {
    const auto rest = sum_one_by_one(group, runs_of(group, unaligned, e));
    result[e].insert(result[e].end(), rest.begin(), rest.end());
    result[e].push_back(semaphore_increment(semaphore));
  }
  return result;
}

EngineDescriptors plan_core_spread(const CoreGroup& group, const std::vector<TileView>& views,
                                   unsigned flag, unsigned semaphore) {
  EngineDescriptors result;
  for (unsigned e = 0; e < kEngines; ++e) {
    const std::vector<Run> runs = runs_of(group, views, e);
    PacketList list;
    for (unsigned i = 1; i < group.cores; ++i) {
      for (const Run& run : runs)
        list.add(here(run.offset), in_core(group.other(i), run.offset), run.bytes);
    }
    for (unsigned i = 1; i < group.cores; ++i) list.increment(flag, group.other(i));
    list.increment(semaphore);
    result[e] = list.take();
  }
  return result;
}

}  // namespace tern::kernels

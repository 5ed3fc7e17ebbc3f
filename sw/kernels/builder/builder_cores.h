// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "sw/kernels/builder/builder_transfers.h"
#include "sw/kernels/builder/cores/core_exchange.h"

namespace tern::kernels {

// Several cores that work together.
class CoreCalls : public TransferCalls {
 public:
  using TransferCalls::TransferCalls;

  // Cores 0 .. cores - 1 that work together, each with a separate program; their tiles must have
  // equal addresses, so the programs differ only in data (kernel_builder_cores.cpp). In front of
  // the first instruction.
  void join_cores(unsigned core, unsigned cores, SourceLine where = SourceLine::here());
  // The same with cores of any chips of a system, at most one for each partition.
  void join_parts(unsigned part, unsigned parts, SourceLine where = SourceLine::here());
  // views = their sum over all cores: fp32, contiguous rows, with the same bits on every core and
  // in every run. Adds near the memory of SBUF.
  void core_sum(const std::vector<TileView>& views, SourceLine where = SourceLine::here());
  // After join_cores(), with the same number of pipes on both of two cores.
  void prepare_exchange(unsigned pipes, SourceLine where = SourceLine::here());
  // What follows and touches `data` begins when the other core has come here, too.
  void core_barrier(const DmaView& data, SourceLine where = SourceLine::here());
  // Both cores send: src goes to `there`, in the other core's SBUF, and what the other one sends
  // comes to dst. The n-th of a pipe on one core belongs to the n-th on the other.
  void send_receive(const TileView& dst, const TileView& src, const TileView& there, unsigned pipe,
                    SourceLine where = SourceLine::here());

 protected:
  void join(const char* name, const CoreGroup& group, SourceLine where);
  unsigned next_flag(const char* name, SourceLine where);
  // In all other cores, when everything before the accesses is complete.
  void raise_flag(unsigned flag, const std::vector<HazardMap::Access>& after, const char* name,
                  SourceLine where);

  CoreGroup group_;
  std::size_t barrier_flag_ = 0;  // of flags_; those of the pipes follow
};

}  // namespace tern::kernels

// SPDX-License-Identifier: Apache-2.0
// Two cores with separate programs: data sent to each other, barriers.
#include "sw/base/user_error.h"
#include "sw/kernels/builder/builder_cores.h"
#include "sw/kernels/builder/dma/packet_list.h"
#include "sw/kernels/builder/element/view_checks.h"

namespace tern::kernels {

namespace {

constexpr unsigned kMostUrgent = 0;  // the other core waits for it

}  // namespace

void CoreCalls::prepare_exchange(unsigned pipes, SourceLine where) {
  const char* name = "prepare_exchange";
  barrier_flag_ = flags_.size();
  next_flag(name, where);
  for (unsigned flag = 0; flag < 2 * pipes; ++flag) next_flag(name, where);
}

void CoreCalls::core_barrier(const DmaView& data, SourceLine where) {
  const char* name = "core_barrier";
  if (group_.cores == 1) return;
  const HazardMap::Access access = data.access(true);
  raise_flag(flags_[barrier_flag_].semaphore, {access}, name, where);
  flags_[barrier_flag_].value += group_.cores - 1;
  hazards_.record({access}, HazardMap::kDma, flags_[barrier_flag_]);
}

// This core says that its destination may be overwritten, and sends when the other one has said so.
void CoreCalls::send_receive(const TileView& dst, const TileView& src, const TileView& there,
                             unsigned pipe, SourceLine where) {
  const char* name = "send_receive";
  const std::size_t ready = barrier_flag_ + 1 + 2 * std::size_t{pipe}, received = ready + 1;
  if (group_.cores != 2 || received >= flags_.size()) {
    throw UserError(where.text() + ": " + name + ": not prepared");
  }
  check_side(dst, true, "destination", name, where);
  check_side(src, false, "source", name, where);
  const unsigned other = group_.other(1);
  DmaView target(there);
  const DmaView source(src);
  const auto pattern = match(target, source);
  if (!pattern || there.dtype != src.dtype) {
    throw UserError(where.text() + ": " + name + ": source and destination differ");
  }
  target.base = {DmaAddress::Space::kPeer, other, target.base.offset};

  const HazardMap::Access overwritten = access_of(dst, true), read = access_of(src, false);
  raise_flag(flags_[ready].semaphore, {overwritten}, name, where);
  flags_[ready].value += 1;
  Started started = begin_transfer(DmaRings::Kind::kStore, kMostUrgent, name, {read}, where);
  started.waits.push_back(flags_[ready]);
  EngineDescriptors plan =
      plan_copy(target, source, *pattern, TERN_DMA_WRITE_OP_STORE, started.semaphore);
  for (auto& pairs : plan) {  // in front of this core's own semaphore
    PacketList flag;
    flag.increment(flags_[received].semaphore, other);
    const std::vector<DescriptorPair> raised = flag.take();
    pairs.insert(pairs.end() - 1, raised.begin(), raised.end());
  }
  trigger(started,
          append_pairs(started.ring, plan, std::string(name) + ": to the other core", where), name,
          where);
  end_transfer(started, {read});
  flags_[received].value += Executable::kEngines;
  hazards_.record({overwritten}, HazardMap::kDma, flags_[received]);
}

}  // namespace tern::kernels

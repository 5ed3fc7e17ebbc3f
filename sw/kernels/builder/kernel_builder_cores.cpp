// SPDX-License-Identifier: Apache-2.0
// Several cores that work together: a common start, sums over cores.
#include "sw/base/user_error.h"
#include "sw/kernels/builder/builder_cores.h"
#include "sw/kernels/builder/cores/collective_plan.h"
#include "sw/kernels/builder/cores/core_exchange.h"
#include "sw/kernels/builder/element/view_checks.h"
#include "sw/kernels/builder/memory/limits.h"

namespace tern::kernels {

namespace {

constexpr unsigned kEngines = Executable::kEngines;
constexpr unsigned kMostUrgent = 0;  // all cores wait for it

[[noreturn]] void fail(SourceLine where, const char* name, const std::string& message) {
  throw UserError(where.text() + ": " + name + ": " + message);
}

}  // namespace

unsigned CoreCalls::next_flag(const char* name, SourceLine where) {
  static_assert(kMostFlags == 2 * kLoopSemaphores - 1);
  if (flags_.size() == kMostFlags) {
    fail(where, name, "more than " + std::to_string(kMostFlags) + " flags in one program");
  }
  flags_.push_back({loop_semaphore(0, 0) + static_cast<unsigned>(flags_.size()), 0});
  return flags_.back().semaphore;
}

void CoreCalls::raise_flag(unsigned flag, const std::vector<HazardMap::Access>& after,
                           const char* name, SourceLine where) {
  const Started started = begin_transfer(DmaRings::Kind::kLoad, kMostUrgent, name, after, where);
  trigger(started,
          append_pairs(started.ring, plan_flags(group_, flag, started.semaphore),
                       std::string(name) + ": flags to other cores", where),
          name, where);
  end_transfer(started, {});
}

void CoreCalls::join_cores(unsigned core, unsigned cores, SourceLine where) {
  const char* name = "join_cores";
  if (cores > chip_.cores || core >= cores) {
    fail(where, name,
         "core " + std::to_string(core) + " of " + std::to_string(cores) + ": " + chip_.name +
             " has " + std::to_string(chip_.cores) + (chip_.cores == 1 ? " core" : " cores"));
  }
  join(name, {core, cores}, where);
}

void CoreCalls::join_parts(unsigned part, unsigned parts, SourceLine where) {
  const char* name = "join_parts";
  if (parts > kPartitions || part >= parts) {
    fail(where, name,
         "part " + std::to_string(part) + " of " + std::to_string(parts) + ": expected at most " +
             std::to_string(kPartitions));
  }
  join(name, {part, parts}, where);
}

void CoreCalls::join(const char* name, const CoreGroup& group, SourceLine where) {
  for (const auto& queue : program_.queues) {
    if (!queue.empty()) fail(where, name, "expected in front of the first instruction");
  }
  group_ = group;
  if (group.cores == 1) return;
  const unsigned start = next_flag(name, where);
  if (group.core == 0) {
    raise_flag(start, {}, name, where);
    return;
  }
  flags_.back().value = 1;
  start_flag_ = flags_.back();
}

void CoreCalls::core_sum(const std::vector<TileView>& views, SourceLine where) {
  const char* name = "core_sum";
  if (iteration_ != nullptr) fail(where, name, "not in a loop");
  if (group_.cores == 1) return;
  std::vector<HazardMap::Access> all, read_own, add_own, others;
  for (const TileView& view : views) {
    check_side(view, true, "operand", name, where);
    check_write_op(view, name, where);
    if (view.dtype != DType::kFp32) fail(where, name, "expected fp32");
    if (!DmaView(view).has_contiguous_rows()) {
      fail(where, name, "expected contiguous elements along the free axis");
    }
    all.push_back(access_of(view, true));
    if (const auto own = own_rows(group_, view)) {
      read_own.push_back(access_of(*own, false));
      add_own.push_back(access_of(*own, false));
      add_own.push_back(access_of(*own, true));
    }
    for (const TileView& rest : other_rows(group_, view)) others.push_back(access_of(rest, true));
  }
  const unsigned ready = next_flag(name, where), summed = next_flag(name, where);
  Event& all_ready = flags_[flags_.size() - 2];
  Event& all_summed = flags_.back();
  all_ready.value = group_.cores - 1;
  all_summed.value = kEngines * (group_.cores - 1);

  // This core's data may be read, and then overwritten. On Sync, because the queue of the sums
  // waits for other cores.
  raise_flag(ready, all, name, where);
  const auto on_stores = [&](const std::vector<HazardMap::Access>& accesses, const char* what,
                             const std::vector<Event>& waits, const MakePlan& plan) {
    Started started = begin_transfer(DmaRings::Kind::kStore, kMostUrgent, name, accesses, where);
    started.waits.insert(started.waits.end(), waits.begin(), waits.end());
    trigger(started,
            append_pairs(started.ring, plan(started.semaphore), std::string(name) + what, where),
            name, where);
    end_transfer(started, accesses);
  };
  on_stores(add_own, ": what other cores hold", {all_ready},
            [&](unsigned semaphore) { return plan_core_sum(group_, views, semaphore); });
  on_stores(read_own, ": sums to other cores", {},
            [&](unsigned semaphore) { return plan_core_spread(group_, views, summed, semaphore); });
  // Other cores write the other partitions; they have read them before that.
  use(others, name, where);
  hazards_.record(others, HazardMap::kDma, all_summed);
}

}  // namespace tern::kernels

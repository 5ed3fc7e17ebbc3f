// SPDX-License-Identifier: Apache-2.0
// Refresh of a pseudo-channel: what is due, what is postponed.
#include <algorithm>

#include "systemc/hbm/pseudo_channel.h"

namespace tern::hbm {

std::uint32_t PseudoChannel::waiting_sets(Tick now) const {
  std::uint32_t sets = 0;
  for (const List* list : {&reads_, &writes_}) {
    for (std::uint16_t index : *list) {
      const Slot& slot = slots_[index];
      if (slot.access.arrival > now) break;
      sets |= 1u << span_of(slot).set;
    }
  }
  return sets;
}

void PseudoChannel::refresh_now(unsigned unit, Tick now) {
  if (config_.refresh == Refresh::kAllBank) {
    device_.refresh_all(now);
  } else {
    device_.refresh_set(unit, now);
  }
  counters_.refreshes += config_.refresh == Refresh::kAllBank ? 1 : kBankGroups;
  owe(unit, -1);
}

void PseudoChannel::owe(unsigned unit, int change) {
  const unsigned owed = owed_[unit] = static_cast<std::uint8_t>(owed_[unit] + change);
  const auto mark = [unit](std::uint32_t* mask, bool set) {
    *mask = (*mask & ~(1u << unit)) | std::uint32_t{set} << unit;
  };
  mark(&owed_mask_, owed != 0);
  mark(&half_mask_, owed * 2 > config_.refresh_postpone);
  mark(&forced_mask_, owed > config_.refresh_postpone);
}

// Issues those of the refreshes owed that cannot be postponed, and one more: of `left`, or of
// banks that no access waits for when half of the limit is reached.
void PseudoChannel::refresh_owed(Tick now, std::uint32_t left) {
  if ((owed_mask_ & left) == 0 && half_mask_ == 0 && forced_mask_ == 0) return;
  std::uint32_t waiting =
      half_mask_ != 0 || config_.refresh == Refresh::kAllBank ? waiting_sets(now) : 0;
  if (config_.refresh == Refresh::kAllBank) {
    waiting = waiting != 0;
    left = !waiting;
  }
  bool one = false;
  for (unsigned unit = 0; unit < refresh_units_; ++unit) {
    if (!(owed_mask_ >> unit & 1)) continue;
    const unsigned owed = owed_[unit];
    const bool forced = owed > config_.refresh_postpone;
    const bool free =
        !one &&
        (left >> unit & 1 || (!(waiting >> unit & 1) && owed * 2 > config_.refresh_postpone)) &&
        // Not on top of a refresh that is still running.
        device_.set_ready(unit) <= now;
    if (!forced && !free) continue;
    one = one || !forced;
    refresh_now(unit, now);
  }
}

// Makes refreshes due. Where nothing waits they are done on time, without a separate
// event.
void PseudoChannel::refresh_due(Tick now) {
  const Tick busy_from = earliest_arrival();
  while (refresh_next_ <= now) {
    const Tick due = refresh_next_;
    const unsigned unit = static_cast<unsigned>(refresh_count_ % refresh_units_);
    const bool idle = due < busy_from;
    // A long rest: whole rounds leave no trace but their count.
    const std::int64_t rounds = (std::min(now, busy_from) - due) / timing_.refi - 2;
    if (idle && owed_mask_ == 0 && rounds > 0 && !device_.observed()) {
      refresh_count_ += rounds * refresh_units_;
      counters_.refreshes += static_cast<std::uint64_t>(rounds) * refresh_units_ *
                             (config_.refresh == Refresh::kAllBank ? 1 : kBankGroups);
    } else {
      ++refresh_count_;
      owe(unit, 1);
      // The one that is due, and one of those postponed.
      for (unsigned i = 0; idle && i < 2; ++i) refresh_owed(due, ~0u);
    }
    refresh_next_ = (refresh_count_ + 1) * timing_.refi / refresh_units_;
  }
}

}  // namespace tern::hbm

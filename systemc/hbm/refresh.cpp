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
  counters_.refreshes += refresh_commands();
  owe(unit, -1);
}

namespace {
unsigned set_of(unsigned unit) {
  return unit / kBanksPerStackId * kBanksPerGroup + unit % kBanksPerGroup;
}
unsigned group_of(unsigned unit) {
  return unit % kBanksPerStackId / kBanksPerGroup;
}
}  // namespace

// The banks of a stack id, those of a bank group one after another. Nothing starts before its
// command has gone.
void PseudoChannel::refresh_blocking(unsigned unit, Tick due) {
  counters_.refreshes += refresh_commands();
  blocked_until_ =
      device_.refresh_bank(set_of(unit), group_of(unit), std::max(due, blocked_until_)) + 2;
}

// Where no access waits for open rows, a bank that others wait for is closed before its refresh is
// due.
void PseudoChannel::close_before_refresh(const List& list, Tick now) {
  if (refresh_next_ - now > timing_.lookahead) return;
  const auto unit = static_cast<unsigned>(refresh_count_ % refresh_units_);
  const Span* waiting = nullptr;
  for (const std::uint16_t index : list) {
    const Slot& slot = slots_[index];
    if (slot.access.arrival > now) break;
    const Span& span = span_of(slot);
    if (device_.may_be_open(span)) return;
    const unsigned position = (group_of(unit) + 2 * kBankGroups - span.first - span.rotation) %
                              kBankGroups;  // of the bank among the span's
    if (waiting == nullptr && span.set == set_of(unit) && position < span.count) waiting = &span;
  }
  if (waiting != nullptr && device_.look(*waiting).ready <= now) device_.close(*waiting, now);
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

// Before a refresh that blocks: the data of an access to open rows would come too late, but rows
// may be opened. Returns the access for that.
PseudoChannel::Pick PseudoChannel::pick_before_refresh(const List& list, Tick now) {
  Pick pick;
  pick.wake = refresh_next_;
  std::uint32_t wanted = 0;  // sets with open rows that an older access waits for
  for (unsigned i = 0; i < list.size(); ++i) {
    const Slot& slot = slots_[list[i]];
    if (slot.access.arrival > now) {
      pick.wake = std::min(pick.wake, slot.access.arrival);
      break;
    }
    const Span& span = span_of(slot);
    const std::uint32_t set = 1u << span.set;
    if (slot.blocked_by != 0 || (wanted & set)) continue;
    const Device::Look look = device_.look(span);
    if (look.row == Device::Row::kOpen) {
      wanted |= set;
      continue;
    }
    // An activation that cannot go before the refresh goes after it; its precharges go at once.
    if (look.ready <= now) {
      if (device_.activates_at(span, now) < refresh_next_) {
        pick.position = static_cast<int>(i);
        break;
      }
      device_.close(span, now);
      continue;
    }
    if (look.row == Device::Row::kConflict) pick.wake = std::min(pick.wake, look.ready);
  }
  return pick;
}

// Whether the activation of an access would come after a refresh that blocks.
bool PseudoChannel::refresh_overtakes(const Slot& slot, Tick now) const {
  const Span& span = span_of(slot);
  return device_.look(span).row != Device::Row::kOpen &&
         device_.activates_at(span, now) >= refresh_next_;
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
      counters_.refreshes +=
          static_cast<std::uint64_t>(rounds) * refresh_units_ * refresh_commands();
    } else if (blocking_) {
      ++refresh_count_;
      refresh_blocking(unit, due);
    } else {
      ++refresh_count_;
      owe(unit, 1);
      // The one that is due, and one of those postponed.
      for (unsigned i = 0; idle && i < 2; ++i) refresh_owed(due, ~0u);
    }
    refresh_next_ = next_refresh();
  }
}

}  // namespace tern::hbm

// SPDX-License-Identifier: Apache-2.0
// The choice of the next access of a pseudo-channel.
#include <algorithm>

#include "systemc/hbm/pseudo_channel.h"

namespace tern::hbm {

// The oldest access that has waited too long and can issue; `kept`: banks that older ones wait for.
PseudoChannel::Pick PseudoChannel::pick_aged(const List& list, Tick now, std::uint32_t* kept) {
  Pick pick;
  for (unsigned i = 0; i < list.size(); ++i) {
    const Slot& slot = slots_[list[i]];
    if (now - slot.access.arrival < timing_.age_cap) break;
    if (slot.blocked_by != 0) {
      hazard_ = hazard_ || !slot.writing;
      continue;
    }
    const std::uint32_t set = 1u << span_of(slot).set;
    if (*kept & set) continue;
    const Device::Look look = device_.look(span_of(slot));
    if (look.ready <= now) {
      pick.position = static_cast<int>(i);
      return pick;
    }
    pick.wake = std::min(pick.wake, look.ready);
    *kept |= set;
  }
  return pick;
}

// Whether the data of an access follow without a gap though its rows have to be opened first, and
// no access waits for the rows that would be closed.
bool PseudoChannel::opens_unseen(const List& list, int position, Tick now, Tick free) const {
  const Slot& slot = slots_[list[static_cast<unsigned>(position)]];
  const Span& span = span_of(slot);
  if (device_.column_at(span, slot.writing, now) > free) return false;
  return device_.look(span).row == Device::Row::kClosed || !rows_needed(list, span, now);
}

// Whether an access waits for rows that are open where a span needs others.
bool PseudoChannel::rows_needed(const List& list, const Span& span, Tick now) const {
  for (const std::uint16_t index : list) {
    const Slot& slot = slots_[index];
    if (slot.access.arrival > now) break;
    const Span& other = span_of(slot);
    if (other.set == span.set && other.row != span.row && device_.may_be_open(other)) return true;
  }
  return false;
}

// Open rows whose bank group lets the data follow without a gap, then whatever has data soonest of
// the other open rows and the oldest access whose bank is ready; each in order of arrival.
PseudoChannel::Pick PseudoChannel::pick_class(const List& list, unsigned traffic_class, Tick now,
                                              std::uint32_t* kept, Tick* wake) {
  Pick pick;
  std::uint32_t waiting = 0;
  int open = -1;
  Tick open_at = kNever;
  for (unsigned i = 0; i < list.size(); ++i) {
    // Once something can issue, only an open row is better.
    if (pick.position >= 0) {
      while (i < list.size() && !may_be_open(list[i])) ++i;
      if (i == list.size()) break;
    }
    const Slot& slot = slots_[list[i]];
    if (slot.access.arrival > now) {
      *wake = std::min(*wake, slot.access.arrival);
      break;
    }
    if (slot.access.traffic_class != traffic_class) continue;
    if (slot.blocked_by != 0) {
      hazard_ = hazard_ || !slot.writing;
      continue;
    }
    const Span& span = span_of(slot);
    const std::uint32_t set = 1u << span.set;
    if (*kept & set) continue;
    const Device::Look look = device_.look(span);
    if (look.row == Device::Row::kOpen) {
      const Tick at = device_.column_at(span, slot.writing, now);
      const Tick free = std::max(now, device_.next_column());
      if (at <= free) {
        // An older access is as good if the commands of its rows do not show.
        if (pick.position < 0 || !opens_unseen(list, pick.position, now, free))
          pick.position = static_cast<int>(i);
        return pick;
      }
      if (at < open_at) {
        open = static_cast<int>(i);
        open_at = at;
      }
    } else if (look.ready <= now) {
      if (pick.position < 0) pick.position = static_cast<int>(i);
    } else {
      *wake = std::min(*wake, look.ready);
      waiting |= set;
    }
  }
  if (open >= 0) {
    if (pick.position >= 0) {
      const Slot& slot = slots_[list[static_cast<unsigned>(pick.position)]];
      if (device_.column_at(span_of(slot), slot.writing, now) < open_at) return pick;
    }
    pick.position = open;
    return pick;
  }
  if (pick.position < 0) *kept |= waiting;
  return pick;
}

bool PseudoChannel::older_needs_other_row(const List& list, unsigned position) const {
  const Span& span = span_of(slots_[list[position]]);
  for (unsigned i = 0; i < position; ++i) {
    const Span& older = span_of(slots_[list[i]]);
    if (older.set == span.set && older.row != span.row) return true;
  }
  return false;
}

// The oldest access that came after the last decision and whose data fit into the gap that this
// one left. An earlier one would have been chosen before it.
int PseudoChannel::pick_for_gap(const List& list, Tick now) const {
  int position = -1;
  for (unsigned i = static_cast<unsigned>(list.size()); i-- > 0;) {
    const Slot& slot = slots_[list[i]];
    if (slot.access.arrival <= gap_from_) break;
    if (slot.access.arrival > now || slot.blocked_by != 0 || !device_.may_be_open(span_of(slot)))
      continue;
    if (device_.gap_column(span_of(slot), slot.writing, now) == kNever) continue;
    if (!older_needs_other_row(list, i)) position = static_cast<int>(i);
  }
  return position;
}

PseudoChannel::Pick PseudoChannel::pick(const List& list, Tick now) {
  std::uint32_t kept = 0;
  Pick best = pick_aged(list, now, &kept);
  const auto& in_class = &list == &writes_ ? in_class_write_ : in_class_read_;
  for (unsigned c = 0; c < kTrafficClasses && best.position < 0; ++c) {
    if (in_class[c] != 0) best.position = pick_class(list, c, now, &kept, &best.wake).position;
  }
  return best;
}

}  // namespace tern::hbm

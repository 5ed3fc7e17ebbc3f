// SPDX-License-Identifier: Apache-2.0
#include "systemc/hbm/pseudo_channel.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tern::hbm {

PseudoChannel::PseudoChannel(const Config& config, const Timing& timing, AccessSink* sink)
    : config_(config),
      timing_(timing),
      sink_(sink),
      device_(timing, config.stack_ids * kBanksPerGroup),
      slots_(config.read_queue + config.write_queue + 1) {
  for (std::size_t i = slots_.size(); i-- > 0;) free_.push_back(static_cast<std::uint16_t>(i));
  reads_.reserve(slots_.size());
  writes_.reserve(slots_.size());
  if (config.refresh != Refresh::kOff) {
    refresh_units_ = config.refresh == Refresh::kAllBank ? 1 : config.stack_ids * kBanksPerGroup;
    refresh_next_ = timing.refi / refresh_units_;
  }
}

std::uint32_t PseudoChannel::bursts_of(const Access& access) {
  const Span& span = writes(access) ? access.write : access.read;
  return static_cast<std::uint32_t>(((std::uint64_t{1} << span.count) - 1) << span.first);
}

bool PseudoChannel::overlap(const Access& a, const Access& b) {
  return a.piece == b.piece && (writes(a) || writes(b)) && (bursts_of(a) & bursts_of(b)) != 0;
}

bool PseudoChannel::conflicts(const Access& access) const {
  if ((writes(access) ? any_filter_ : write_filter_)[hash_of(access)] == 0) return false;
  for (const List* list : {&reads_, &writes_}) {
    for (std::uint16_t older : *list) {
      if (overlap(slots_[older].access, access)) return true;
    }
  }
  return false;
}

bool PseudoChannel::has_room(Access::Kind kind, unsigned traffic_class, unsigned count) const {
  // Each less urgent class leaves another eighth of the slots to the others.
  const auto room = [&](unsigned held, unsigned places) {
    return held + count <= places - places / 8 * traffic_class;
  };
  const bool read = kind != Access::Kind::kWrite, write = kind != Access::Kind::kRead;
  return (!read || room(reads_held_, config_.read_queue)) &&
         (!write || room(writes_held_, config_.write_queue));
}

void PseudoChannel::insert(List* list, std::uint16_t slot) {
  const Access& access = slots_[slot].access;
  auto place = list->end();
  while (place != list->begin()) {
    const Access& before = slots_[*(place - 1)].access;
    if (std::pair(before.arrival, before.sequence) <= std::pair(access.arrival, access.sequence))
      break;
    --place;
  }
  list->insert(place, slot);
}

void PseudoChannel::add(Access access) {
  const std::uint16_t index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[index];
  slot.access = std::move(access);
  slot.blocked_by = 0;
  slot.blocks = false;
  const Access& a = slot.access;
  slot.writing = a.kind == Access::Kind::kWrite;
  if (a.kind != Access::Kind::kScrub) {
    reads_held_ += !slot.writing;
    writes_held_ += writes(a);
  }
  const unsigned hash = hash_of(a);
  if ((writes(a) ? any_filter_ : write_filter_)[hash] != 0) {
    for (const List* list : {&reads_, &writes_}) {
      for (std::uint16_t older : *list) {
        if (!overlap(slots_[older].access, a)) continue;
        slots_[older].blocks = true;
        ++slot.blocked_by;
      }
    }
  }
  ++any_filter_[hash];
  write_filter_[hash] = static_cast<std::uint16_t>(write_filter_[hash] + writes(a));
  insert(slot.writing ? &writes_ : &reads_, index);
  ++(slot.writing ? in_class_write_ : in_class_read_)[a.traffic_class];
  next_ = std::min(
      next_, std::max({a.arrival, device_.next_column() - timing_.lookahead, last_decision_}));
}

Tick PseudoChannel::earliest_arrival() const {
  Tick earliest = kNever;
  for (const List* list : {&reads_, &writes_}) {
    if (!list->empty()) earliest = std::min(earliest, slots_[list->front()].access.arrival);
  }
  return earliest;
}

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

// Open rows first, then banks that are ready, each in order of arrival.
PseudoChannel::Pick PseudoChannel::pick_class(const List& list, unsigned traffic_class, Tick now,
                                              std::uint32_t* kept, Tick* wake) {
  Pick pick;
  std::uint32_t waiting = 0;
  for (unsigned i = 0; i < list.size(); ++i) {
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
    const std::uint32_t set = 1u << span_of(slot).set;
    if (*kept & set) continue;
    // Once something can issue, only an open row is better.
    if (pick.position >= 0 && !device_.may_be_open(span_of(slot))) continue;
    const Device::Look look = device_.look(span_of(slot));
    if (look.row == Device::Row::kOpen) {
      pick.position = static_cast<int>(i);
      return pick;
    }
    if (look.ready <= now) {
      if (pick.position < 0) pick.position = static_cast<int>(i);
    } else {
      *wake = std::min(*wake, look.ready);
      waiting |= set;
    }
  }
  if (pick.position < 0) *kept |= waiting;
  return pick;
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

void PseudoChannel::decide() {
  const Tick now = next_;
  last_decision_ = now;
  refresh_due(now);
  if (owed_mask_ != 0) refresh_owed(now, 0);

  if (draining_ && !arrived(writes_, 0, now)) draining_ = false;
  if (!draining_ && !writes_.empty()) {
    const bool aged = now - slots_[writes_.front()].access.arrival >= timing_.age_cap;
    if (arrived(writes_, config_.write_high - 1, now) || hazard_ || aged) {
      draining_ = true;
      drain_left_ = config_.write_high;
    }
  }
  hazard_ = false;

  List* first = draining_ ? &writes_ : &reads_;
  List* second = draining_ ? &reads_ : &writes_;
  Pick choice = pick(*first, now);
  List* list = first;
  if (choice.position < 0) {
    // The bus turns around only if that is done before the preferred kind can continue.
    const Tick turn = draining_ ? timing_.rtw : timing_.wtr_l;
    const Tick wake = choice.wake;
    if (wake > now + turn) {
      choice = pick(*second, now);
      list = second;
      choice.wake = std::min(choice.wake, wake);
    }
  }
  if (choice.position >= 0) {
    const unsigned before = recent_set_;
    const bool opened = commit(list, static_cast<unsigned>(choice.position), now);
    // A refresh delays activations, so its time is between them: when a set is left for another
    // whose rows are open. Traffic that opens rows all the time offers no better moment.
    const bool moved = opened && before != recent_set_;
    if (!opened || moved) {
      if (owed_mask_ != 0) refresh_owed(now, left_ & ~(1u << recent_set_));
      left_ = moved ? 1u << before : 0;
    }
    next_ = empty()
                ? kNever
                : std::max({now, device_.next_column() - timing_.lookahead, earliest_arrival()});
    return;
  }
  // The oldest access waits for no other, so there is always something to wait for.
  if (choice.wake == kNever) throw std::logic_error("hbm::PseudoChannel: nothing can continue");
  next_ = choice.wake;
}

std::uint64_t PseudoChannel::waiting_write_bytes() const {
  std::uint64_t bytes = 0;
  for (const std::uint16_t slot : writes_) bytes += slots_[slot].access.write.count * kBurstBytes;
  return bytes;
}

bool PseudoChannel::commit(List* list, unsigned position, Tick now) {
  const std::uint16_t index = (*list)[position];
  Slot& slot = slots_[index];
  Access& access = slot.access;
  const Span& span = span_of(slot);
  const bool write = slot.writing;
  const Device::Row row = device_.look(span).row;
  switch (row) {
    case Device::Row::kOpen:
      ++counters_.row_hits;
      break;
    case Device::Row::kClosed:
      ++counters_.row_misses;
      break;
    case Device::Row::kConflict:
      ++counters_.row_conflicts;
      break;
  }
  recent_set_ = span.set;
  const Device::Issued issued = device_.issue(span, write, now);
  counters_.turnarounds += write != last_was_write_;
  last_was_write_ = write;
  counters_.busy_ticks += span.count * kBurstTicks;
  ++(write ? counters_.write_pieces : counters_.read_pieces);
  (write ? counters_.write_bytes : counters_.read_bytes) += span.count * kBurstBytes;

  list->erase(list->begin() + position);
  --(write ? in_class_write_ : in_class_read_)[access.traffic_class];
  if (!write) {
    const Tick end = issued.last_column + timing_.cl + kBurstTicks;
    sink_->read_decided(access, end);
    if (access.kind != Access::Kind::kScrub) --reads_held_;
    if (writes(access)) {
      slot.writing = true;
      access.arrival = end + timing_.update;
      ++in_class_write_[access.traffic_class];
      insert(&writes_, index);
      return row != Device::Row::kOpen;
    }
  } else {
    if (access.kind != Access::Kind::kScrub) --writes_held_;
    if (draining_ && (--drain_left_ == 0 || !arrived(writes_, config_.write_low, now)))
      draining_ = false;
  }
  retire(index);
  return row != Device::Row::kOpen;
}

void PseudoChannel::retire(std::uint16_t index) {
  Slot& slot = slots_[index];
  const Access& access = slot.access;
  if (slot.blocks) {
    for (const List* list : {&reads_, &writes_}) {
      for (std::uint16_t other : *list) {
        if (slots_[other].blocked_by != 0 && slots_[other].access.sequence > access.sequence &&
            overlap(access, slots_[other].access)) {
          --slots_[other].blocked_by;
        }
      }
    }
  }
  sink_->retired(slot.access);
  const unsigned hash = hash_of(access);
  --any_filter_[hash];
  if (writes(access)) --write_filter_[hash];
  slot.access.copy.reset();
  free_.push_back(index);
}

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

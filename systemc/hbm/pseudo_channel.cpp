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
      slots_(config.read_queue + config.write_queue + 1),
      rows_(slots_.size()),
      blocking_(config.refresh == Refresh::kBlocking) {
  for (std::size_t i = slots_.size(); i-- > 0;) free_.push_back(static_cast<std::uint16_t>(i));
  reads_.reserve(slots_.size());
  writes_.reserve(slots_.size());
  if (config.refresh != Refresh::kOff) {
    refresh_units_ = config.refresh == Refresh::kAllBank ? 1 : config.stack_ids * kBanksPerGroup;
    if (config.refresh == Refresh::kBlocking) refresh_units_ *= kBankGroups;
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
  const auto room = [&](unsigned held, unsigned queue) {
    return held + count <= places(queue, traffic_class);
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

void PseudoChannel::note_rows(std::uint16_t slot) {
  const Span& span = span_of(slots_[slot]);
  const bool blocked = slots_[slot].blocked_by != 0;
  rows_[slot] = {blocked ? Device::kAnyRow : span.row,
                 blocked ? Device::kAnyBank : Device::first_bank(span)};
}

void PseudoChannel::add(Access access) {
  const std::uint16_t index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[index];
  slot.access = std::move(access);
  slot.blocked_by = 0;
  slot.blocks = slot.opened = false;
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
  note_rows(index);
  ++any_filter_[hash];
  write_filter_[hash] = static_cast<std::uint16_t>(write_filter_[hash] + writes(a));
  insert(slot.writing ? &writes_ : &reads_, index);
  ++(slot.writing ? in_class_write_ : in_class_read_)[a.traffic_class];
  next_ = std::min(next_, std::max({a.arrival, device_.next_column() - timing_.lookahead,
                                    last_decision_, blocked_until_}));
}

Tick PseudoChannel::earliest_arrival() const {
  Tick earliest = kNever;
  for (const List* list : {&reads_, &writes_}) {
    if (!list->empty()) earliest = std::min(earliest, slots_[list->front()].access.arrival);
  }
  return earliest;
}

// In a pause of the reads: opens the rows of the next write, so that it delays reads by its data
// only. Returns when to try again.
Tick PseudoChannel::open_rows_ahead(Tick now) {
  if (arrived(reads_, 0, now)) return kNever;
  const Pick next = pick(writes_, now);
  if (next.position < 0) return next.wake;
  Slot& slot = slots_[writes_[static_cast<unsigned>(next.position)]];
  if (device_.look(span_of(slot)).row == Device::Row::kOpen) return kNever;
  count_row(&slot);
  device_.open(span_of(slot), now);
  return kNever;
}

// A drain leaves the newest writes. Those to other rows have them opened during its data.
void PseudoChannel::open_rows_for_drain(Tick now) {
  if (device_.next_column() <= now) return;
  for (unsigned i = static_cast<unsigned>(writes_.size()); i-- > 0;) {
    Slot& slot = slots_[writes_[i]];
    const Span& span = span_of(slot);
    if (slot.access.arrival > now) continue;
    if (slot.access.arrival <= opened_from_) break;
    if (slot.blocked_by != 0 || device_.may_be_open(span)) continue;
    const Device::Look look = device_.look(span);
    if (look.ready > now || rows_needed(reads_, span, now) || rows_needed(writes_, span, now))
      continue;
    count_row(&slot);
    device_.open(span, now);
    break;
  }
  opened_from_ = now;
}

void PseudoChannel::count_row(Slot* slot) {
  const Device::Row row = device_.look(span_of(*slot)).row;
  // Once for each access, unless its rows were closed again.
  if (row == Device::Row::kOpen && slot->opened) return;
  slot->opened = true;
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
}

unsigned PseudoChannel::write_high() const {
  unsigned least_urgent = kTrafficClasses - 1;
  while (least_urgent > 0 && in_class_write_[least_urgent] == 0) --least_urgent;
  return std::min(config_.write_high, places(config_.write_queue, least_urgent));
}

// Starts a drain, or ends one when nothing is left for it.
void PseudoChannel::choose_direction(Tick now) {
  if (drain_is_over(now) && now >= turn_from_) draining_ = false;
  if (!draining_ && !writes_.empty()) {
    const bool aged = now - slots_[writes_.front()].access.arrival >= timing_.age_cap;
    const bool pause = !arrived(reads_, 0, now) && now >= device_.last_column() &&
                       arrived(writes_, write_low() - 1, now);
    if (pause || arrived(writes_, write_high() - 1, now) || hazard_ || aged) {
      draining_ = true;
      drain_left_ = config_.write_high;
    }
  }
  hazard_ = false;
}

// While no read can go: when a write may go without a drain. The bus could turn by then, so a read
// that arrives before is not delayed.
Tick PseudoChannel::writes_from(Tick now) const {
  if (writes_.empty()) return now;
  if (last_was_write_ || arrived(writes_, write_low() - 1, now)) return device_.last_column();
  return device_.last_read() + timing_.write_idle;
}

void PseudoChannel::decide() {
  const Tick now = next_;
  last_decision_ = now;
  refresh_due(now);
  if (blocked_until_ > now) {
    next_ = blocked_until_;
    return;
  }
  if (owed_mask_ != 0) refresh_owed(now, 0);

  if (device_.has_gap(now) && !refresh_comes_first()) {
    List* list = last_was_write_ ? &writes_ : &reads_;
    const int position = pick_for_gap(*list, now);
    if (position >= 0) {
      fill_gap(list, static_cast<unsigned>(position), now);
      return;
    }
  }
  choose_direction(now);
  if (drain_is_over(now)) {
    // Ends with its last column: until then a write may come that continues it.
    next_ = turn_from_;
    return;
  }
  if (draining_) open_rows_for_drain(now);
  const bool writes_first = draining_;
  List* list = writes_first ? &writes_ : &reads_;
  if (blocking_) close_before_refresh(*list, now);
  Pick choice = refresh_comes_first() ? pick_before_refresh(*list, now) : pick(*list, now);
  if (blocking_ && choice.position >= 0 &&
      refresh_overtakes(slots_[(*list)[static_cast<unsigned>(choice.position)]], now))
    choice = pick_before_refresh(*list, now);
  if (choice.position < 0 && !refresh_comes_first()) {
    const Tick from = writes_first ? now : writes_from(now);
    // The bus turns around only if that is done before the preferred kind can continue.
    const Tick turn = writes_first ? timing_.rtw : timing_.wtr_l;
    if (from > now) {
      const Tick ready = open_rows_ahead(now);
      choice.wake = std::min({choice.wake, from, ready});
    } else if (choice.wake > now + turn) {
      const Tick wake = choice.wake;
      list = writes_first ? &reads_ : &writes_;
      choice = pick(*list, now);
      choice.wake = std::min(choice.wake, wake);
    }
  }
  // Rows of the other direction are not opened before the last column command of this one.
  if (choice.position >= 0 && (list == &writes_) != last_was_write_ && now < turn_from_) {
    choice = {-1, turn_from_};
  }
  if (choice.position >= 0) {
    const unsigned before = recent_set_;
    const bool opened = commit(list, static_cast<unsigned>(choice.position), now);
    turn_from_ = opened ? now : device_.last_column();
    // A refresh delays activations, so its time is between them: when a set is left for another
    // whose rows are open. Traffic that opens rows all the time offers no better moment.
    const bool moved = opened && before != recent_set_;
    if (!opened || moved) {
      if (owed_mask_ != 0) refresh_owed(now, left_ & ~(1u << recent_set_));
      left_ = moved ? 1u << before : 0;
    }
    gap_from_ = now;
    wait_for_next(now);
    return;
  }
  // The oldest access waits for no other, so there is always something to wait for.
  if (choice.wake == kNever) throw std::logic_error("hbm::PseudoChannel: nothing can continue");
  next_ = choice.wake;
}

void PseudoChannel::wait_for_next(Tick now) {
  next_ = empty() ? kNever
                  : std::max({now, device_.next_column() - timing_.lookahead, earliest_arrival(),
                              blocked_until_});
}

std::uint64_t PseudoChannel::waiting_write_bytes() const {
  std::uint64_t bytes = 0;
  for (const std::uint16_t slot : writes_) bytes += slots_[slot].access.write.count * kBurstBytes;
  return bytes;
}

bool PseudoChannel::commit(List* list, unsigned position, Tick now) {
  Slot& slot = slots_[(*list)[position]];
  const Span& span = span_of(slot);
  const Device::Row row = device_.look(span).row;
  count_row(&slot);
  recent_set_ = span.set;
  const Device::Issued issued = device_.issue(span, slot.writing, now);
  counters_.turnarounds += slot.writing != last_was_write_;
  last_was_write_ = slot.writing;
  finish(list, position, issued.last_column);
  return row != Device::Row::kOpen;
}

void PseudoChannel::fill_gap(List* list, unsigned position, Tick now) {
  Slot& slot = slots_[(*list)[position]];
  const Span& span = span_of(slot);
  count_row(&slot);
  const Tick first = device_.gap_column(span, slot.writing, now);
  finish(list, position, device_.fill_gap(span, slot.writing, first).last_column);
  wait_for_next(now);
}

// The commands of an access are issued: it leaves the list.
void PseudoChannel::finish(List* list, unsigned position, Tick last_column) {
  const std::uint16_t index = (*list)[position];
  Slot& slot = slots_[index];
  Access& access = slot.access;
  const bool write = slot.writing;
  const unsigned bursts = span_of(slot).count;
  counters_.busy_ticks += bursts * kBurstTicks;
  ++(write ? counters_.write_pieces : counters_.read_pieces);
  (write ? counters_.write_bytes : counters_.read_bytes) += bursts * kBurstBytes;

  list->erase(list->begin() + position);
  --(write ? in_class_write_ : in_class_read_)[access.traffic_class];
  if (!write) {
    const Tick end = last_column + timing_.cl + kBurstTicks;
    sink_->read_decided(access, end);
    if (access.kind != Access::Kind::kScrub) --reads_held_;
    if (writes(access)) {
      slot.writing = true;
      access.arrival = end + timing_.update;
      ++in_class_write_[access.traffic_class];
      insert(&writes_, index);
      note_rows(index);
      return;
    }
  } else {
    if (access.kind != Access::Kind::kScrub) --writes_held_;
    if (draining_ && --drain_left_ == 0) draining_ = false;
  }
  retire(index);
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
          note_rows(other);
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

}  // namespace tern::hbm

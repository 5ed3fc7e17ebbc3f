// SPDX-License-Identifier: Apache-2.0
#include "systemc/hbm/device.h"

#include <fmt/format.h>

#include <algorithm>

namespace tern::hbm {

std::string Command::text() const {
  static constexpr const char* kNames[] = {"ACT", "PRE", "PREA", "RD", "WR", "REFpb", "REFab"};
  const char* name = kNames[static_cast<unsigned>(kind)];
  if (kind == Kind::kRefreshAll || kind == Kind::kPrechargeAll) return name;
  std::string text = fmt::format("{} sid {} bg {} ba {}", name, stack_id, bank_group, bank);
  if (kind == Kind::kActivate) text += fmt::format(" row {:#x}", row);
  return text;
}

namespace {

unsigned group_of(const Span& span, unsigned index) {
  return (span.first + index + span.rotation) % kBankGroups;
}
unsigned banks_of(const Span& span) {
  return std::min(span.count, kBankGroups);
}
// The last burst in the bank group of burst i.
unsigned last_use(const Span& span, unsigned i) {
  return i + (span.count - 1 - i) / kBankGroups * kBankGroups;
}

}  // namespace

Device::Device(const Timing& timing, unsigned sets) : timing_(timing), sets_(sets) {
  open_rows_.fill(~0u);
  open_rows_[kAnyBank] = kAnyRow;
  four_activates_.fill(kLongAgo);
  group_activate_.fill(kLongAgo);
  group_read_.fill(kLongAgo);
  group_write_.fill(kLongAgo);
}

Device::Look Device::look(const Span& span) const {
  const Set& set = sets_[span.set];
  Look look{Row::kOpen, kLongAgo};
  const unsigned banks = banks_of(span);
  for (unsigned i = 0; i < banks; ++i) {
    const Bank& bank = set[group_of(span, i)];
    if (bank.row == span.row) continue;
    const bool closed = bank.row == kClosed;
    look.row = std::max(look.row, closed ? Row::kClosed : Row::kConflict);
    look.ready = std::max(look.ready, closed ? bank.activate_ready : bank.precharge_ready);
  }
  return look;
}

Tick Device::set_ready(unsigned set) const {
  Tick ready = kLongAgo;
  for (const Bank& bank : sets_[set]) ready = std::max(ready, bank.activate_ready);
  return ready;
}

void Device::precharge(unsigned set, unsigned group, Tick now) {
  Bank& bank = sets_[set][group];
  const Tick at = row_bus_.take(std::max(now, bank.precharge_ready), 1);
  set_row(set, group, kClosed);
  bank.activate_ready = std::max(bank.activate_ready, at + timing_.rp);
  tell(at, Command::Kind::kPrecharge, set, group, 0);
}

void Device::activate(unsigned set, unsigned group, std::uint32_t row, Tick now) {
  Bank& bank = sets_[set][group];
  Tick at = std::max({now, bank.activate_ready, last_activate_ + timing_.rrd_s,
                      group_activate_[group] + timing_.rrd_l,
                      four_activates_[window_] + timing_.faw, last_refresh_ + timing_.rrefd});
  at = row_bus_.take(at, 2);
  set_row(set, group, row);
  bank.column_ready = at + timing_.rcd;
  bank.precharge_ready = at + timing_.ras;
  bank.activate_ready = at + timing_.rc;
  last_activate_ = group_activate_[group] = four_activates_[window_] = at;
  window_ = (window_ + 1) % four_activates_.size();
  tell(at, Command::Kind::kActivate, set, group, row);
}

Tick Device::first_column(const Span& span, bool write, Tick now) const {
  const Timing& t = timing_;
  const Tick same = span.set / kBanksPerGroup == last_stack_id_ ? t.ccd_s : t.ccd_r;
  Tick first = write ? std::max({now, last_write_ + same, last_read_ + t.rtw})
                     : std::max({now, last_read_ + same, last_write_ + t.wtr_s});
  // Burst i follows i columns later; a bank group is reused only after ccd_l (check()).
  const unsigned banks = banks_of(span);
  for (unsigned i = 0; i < banks; ++i) {
    const unsigned group = group_of(span, i);
    const Tick group_ready =
        write ? group_write_[group] + t.ccd_l
              : std::max(group_read_[group] + t.ccd_l, group_write_[group] + t.wtr_l);
    first = std::max(first, std::max(sets_[span.set][group].column_ready, group_ready) -
                                static_cast<Tick>(i) * t.ccd_s);
  }
  return first;
}

Tick Device::can_activate(const Bank& bank, Tick now) const {
  if (bank.row == kClosed) return bank.activate_ready;
  return std::max(bank.activate_ready, std::max(now, bank.precharge_ready) + timing_.rp);
}

Tick Device::column_at(const Span& span, bool write, Tick now) const {
  const Timing& t = timing_;
  Tick first = first_column(span, write, now), activate = last_activate_;
  const unsigned banks = banks_of(span);
  for (unsigned i = 0; i < banks; ++i) {
    const unsigned group = group_of(span, i);
    const Bank& bank = sets_[span.set][group];
    if (bank.row == span.row) continue;
    activate = std::max({now, can_activate(bank, now), activate + t.rrd_s,
                         group_activate_[group] + t.rrd_l, four_activates_[window_] + t.faw,
                         last_refresh_ + t.rrefd});
    first = std::max(first, activate + t.rcd - static_cast<Tick>(i) * t.ccd_s);
  }
  return first;
}

Tick Device::data_end() const {
  return std::max(last_read_ + timing_.cl, last_write_ + timing_.wl) + kBurstTicks;
}

// What the columns of a span leave behind in its banks and bank groups.
void Device::note_columns(const Span& span, bool write, Tick first) {
  const Timing& t = timing_;
  const unsigned banks = banks_of(span);
  for (unsigned i = 0; i < banks; ++i) {
    const unsigned group = group_of(span, i);
    const Tick at = first + static_cast<Tick>(last_use(span, i)) * t.ccd_s;
    Bank& bank = sets_[span.set][group];
    bank.precharge_ready =
        std::max(bank.precharge_ready, at + (write ? t.write_to_precharge : t.rtp));
    Tick& used = (write ? group_write_ : group_read_)[group];
    used = std::max(used, at);
  }
  if (!observer_) return;
  for (unsigned i = 0; i < span.count; ++i) {
    tell(first + static_cast<Tick>(i) * t.ccd_s,
         write ? Command::Kind::kWrite : Command::Kind::kRead, span.set, group_of(span, i),
         span.row);
  }
}

void Device::columns(const Span& span, bool write, Tick first) {
  gap_.end = gap_.begin = last_column_ + timing_.ccd_s;
  if (first >= gap_.begin + timing_.ccd_s) note_gap(span, write, first);
  note_columns(span, write, first);
  last_column_ = first + static_cast<Tick>(span.count - 1) * timing_.ccd_s;
  (write ? last_write_ : last_read_) = last_column_;
  last_stack_id_ = span.set / kBanksPerGroup;
}

void Device::note_gap(const Span& span, bool write, Tick first) {
  if (last_column_ != (write ? last_write_ : last_read_) ||
      span.set / kBanksPerGroup != last_stack_id_)
    return;
  gap_.end = first;
  gap_.before = write ? group_write_ : group_read_;
  gap_.after.fill(kNever);
  const unsigned banks = banks_of(span);
  for (unsigned i = 0; i < banks; ++i)
    gap_.after[group_of(span, i)] = first + static_cast<Tick>(i) * timing_.ccd_s;
}

Tick Device::gap_column(const Span& span, bool write, Tick now) const {
  const Timing& t = timing_;
  const Tick columns = static_cast<Tick>(span.count) * t.ccd_s;
  Tick first = std::max(now, gap_.begin);
  if (first + columns > gap_.end || last_column_ != (write ? last_write_ : last_read_) ||
      span.set / kBanksPerGroup != last_stack_id_)
    return kNever;
  const unsigned banks = banks_of(span);
  for (unsigned i = 0; i < banks; ++i) {
    const unsigned group = group_of(span, i);
    const Bank& bank = sets_[span.set][group];
    if (bank.row != span.row) return kNever;
    const Tick turned = write ? kLongAgo : group_write_[group] + t.wtr_l;
    first = std::max(first, std::max({bank.column_ready, gap_.before[group] + t.ccd_l, turned}) -
                                static_cast<Tick>(i) * t.ccd_s);
  }
  if (first + columns > gap_.end) return kNever;
  for (unsigned i = 0; i < banks; ++i) {
    const Tick last = first + static_cast<Tick>(last_use(span, i)) * t.ccd_s;
    if (last + t.ccd_l > gap_.after[group_of(span, i)]) return kNever;
  }
  return first;
}

Device::Issued Device::fill_gap(const Span& span, bool write, Tick first) {
  note_columns(span, write, first);
  const unsigned banks = banks_of(span);
  for (unsigned i = 0; i < banks; ++i) {
    gap_.before[group_of(span, i)] = first + static_cast<Tick>(last_use(span, i)) * timing_.ccd_s;
  }
  const Tick last = first + static_cast<Tick>(span.count - 1) * timing_.ccd_s;
  gap_.begin = last + timing_.ccd_s;
  return {first, last};
}

void Device::close(const Span& span, Tick now) {
  row_bus_.move_to(now);
  const unsigned banks = banks_of(span);
  for (unsigned i = 0; i < banks; ++i) {
    const unsigned group = group_of(span, i);
    const std::int64_t row = sets_[span.set][group].row;
    if (row != span.row && row != kClosed) precharge(span.set, group, now);
  }
}

Tick Device::activates_at(const Span& span, Tick now) const {
  Tick first = kNever;
  const unsigned banks = banks_of(span);
  for (unsigned i = 0; i < banks; ++i) {
    const unsigned group = group_of(span, i);
    const Bank& bank = sets_[span.set][group];
    if (bank.row == span.row) continue;
    first = std::min(first, can_activate(bank, now));
  }
  return std::max({first, now, last_activate_ + timing_.rrd_s,
                   four_activates_[window_] + timing_.faw, last_refresh_ + timing_.rrefd});
}

void Device::open(const Span& span, Tick now) {
  close(span, now);
  Set& set = sets_[span.set];
  const unsigned banks = banks_of(span);
  for (unsigned i = 0; i < banks; ++i) {
    const unsigned group = group_of(span, i);
    if (set[group].row == kClosed) activate(span.set, group, span.row, now);
  }
}

Device::Issued Device::issue(const Span& span, bool write, Tick now) {
  open(span, now);
  const Tick first = first_column(span, write, now);
  columns(span, write, first);
  return {first, last_column_};
}

void Device::refresh_set(unsigned set, Tick now) {
  row_bus_.move_to(now);
  for (unsigned group = 0; group < kBankGroups; ++group) {
    if (sets_[set][group].row != kClosed) precharge(set, group, now);
  }
  for (unsigned group = 0; group < kBankGroups; ++group) refresh_closed(set, group, now);
}

Tick Device::refresh_bank(unsigned set, unsigned group, Tick now) {
  row_bus_.move_to(now);
  if (sets_[set][group].row != kClosed) precharge(set, group, now);
  return refresh_closed(set, group, now);
}

Tick Device::refresh_closed(unsigned set, unsigned group, Tick now) {
  Bank& bank = sets_[set][group];
  Tick at = std::max({now, bank.activate_ready, last_refresh_ + timing_.rrefd,
                      last_activate_ + timing_.rrd_s, group_activate_[group] + timing_.rrd_l});
  at = row_bus_.take(at, 1);
  bank.activate_ready = at + timing_.rfc_pb;
  last_refresh_ = at;
  tell(at, Command::Kind::kRefreshBank, set, group, 0);
  return at;
}

void Device::refresh_all(Tick now) {
  row_bus_.move_to(now);
  Tick at = now, ready = now;
  bool open = false;
  for (const Set& set : sets_) {
    for (const Bank& bank : set) {
      if (bank.row != kClosed) {
        open = true;
        at = std::max(at, bank.precharge_ready);
      }
      ready = std::max(ready, bank.activate_ready);
    }
  }
  if (open) {
    at = row_bus_.take(at, 1);
    tell(at, Command::Kind::kPrechargeAll, 0, 0, 0);
    ready = std::max(ready, at + timing_.rp);
  }
  ready = row_bus_.take(std::max({ready, last_activate_ + timing_.rrd_l}), 1);
  tell(ready, Command::Kind::kRefreshAll, 0, 0, 0);
  for (unsigned set = 0; set < sets_.size(); ++set) {
    for (unsigned group = 0; group < kBankGroups; ++group) {
      set_row(set, group, kClosed);
      sets_[set][group].activate_ready = ready + timing_.rfc_ab;
    }
  }
}

}  // namespace tern::hbm

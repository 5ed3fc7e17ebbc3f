// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "systemc/hbm/row_bus.h"
#include "systemc/hbm/timing.h"

namespace tern::hbm {

struct Command {
  enum class Kind : std::uint8_t {
    kActivate,
    kPrecharge,
    kPrechargeAll,
    kRead,
    kWrite,
    kRefreshBank,
    kRefreshAll
  };
  Tick tick;
  Kind kind;
  unsigned stack_id, bank_group, bank;  // 0 where the command has none
  std::uint32_t row;

  bool on_row_bus() const { return kind != Kind::kRead && kind != Kind::kWrite; }
  std::string text() const;  // "ACT sid 0 bg 1 ba 2 row 0x1F"
};
using CommandObserver = std::function<void(const Command&)>;

// Consecutive bursts of one piece.
struct Span {
  unsigned set;  // address_map.h
  std::uint32_t row;
  unsigned rotation;  // as in Location
  unsigned first, count;
};

// The banks and buses of one pseudo-channel: when commands can issue, and their effect on state.
// Commands of the column bus issue in the order of the calls, activations and refreshes too;
// precharges may issue in between. Every constraint of timing.h holds for what it issues.
class Device {
 public:
  enum class Row : std::uint8_t { kOpen, kClosed, kConflict };
  struct Look {
    Row row;     // of the worst of the banks concerned
    Tick ready;  // when their first row commands could issue; for an open row any time
  };
  struct Issued {
    Tick first_column, last_column;
  };

  Device(const Timing& timing, unsigned sets);

  Look look(const Span& span) const;
  // False: look() would not find the row open. Reads one of the banks.
  bool may_be_open(const Span& span) const { return may_be_open(first_bank(span), span.row); }
  bool may_be_open(unsigned bank, std::uint32_t row) const { return open_rows_[bank] == row; }
  // For the other may_be_open().
  static unsigned first_bank(const Span& span) {
    return span.set * kBankGroups + (span.first + span.rotation) % kBankGroups;
  }
  static constexpr unsigned kAnyBank = kMaxStackIds * kBanksPerGroup * kBankGroups;  // and any row
  static constexpr std::uint32_t kAnyRow = ~1u;
  // When its first column command could issue, as if nothing else was issued before; rows that
  // have to be opened are counted, but not the clocks that their commands share.
  Tick column_at(const Span& span, bool write, Tick now) const;
  // When its first column can go in the free clocks between the last two spans; kNever if there are
  // none, if the span does not fit, or if its rows are not open.
  Tick gap_column(const Span& span, bool write, Tick now) const;
  bool has_gap(Tick now) const { return gap_.end - std::max(now, gap_.begin) >= timing_.ccd_s; }
  // Issues the columns of a span there.
  Issued fill_gap(const Span& span, bool write, Tick first);
  // When the first activation of a span with closed rows can go, as column_at().
  Tick activates_at(const Span& span, Tick now) const;
  // Closes the rows that a span cannot use.
  void close(const Span& span, Tick now);
  // Opens the rows of a span, no command before `now`.
  void open(const Span& span, Tick now);
  // Issues everything a span needs, no command before `now`.
  Issued issue(const Span& span, bool write, Tick now);
  // The first moment the column bus is free again.
  Tick next_column() const { return last_column_ + timing_.ccd_s; }
  Tick last_column() const { return last_column_; }
  Tick last_read() const { return last_read_; }
  // No data is on the bus from here on.
  Tick data_end() const;

  // The four banks of a set in rotation.
  void refresh_set(unsigned set, Tick now);
  void refresh_all(Tick now);
  // One bank; returns the clock of its refresh command.
  Tick refresh_bank(unsigned set, unsigned group, Tick now);
  // When the last bank of the set can be activated, in the present state.
  Tick set_ready(unsigned set) const;

  void observe(CommandObserver observer) { observer_ = std::move(observer); }
  bool observed() const { return static_cast<bool>(observer_); }
  // For a snapshot; most: no time of it is later.
  void archive_state(base::StateArchive& archive, Tick most);

 private:
  static constexpr std::int64_t kClosed = -1;
  struct Bank {
    std::int64_t row = kClosed;
    Tick activate_ready = kLongAgo, precharge_ready = kLongAgo, column_ready = kLongAgo;
  };
  using Set = std::array<Bank, kBankGroups>;

  void set_row(unsigned set, unsigned group, std::int64_t row) {
    sets_[set][group].row = row;
    open_rows_[set * kBankGroups + group] = row == kClosed ? ~0u : static_cast<std::uint32_t>(row);
  }
  void precharge(unsigned set, unsigned group, Tick now);
  void activate(unsigned set, unsigned group, std::uint32_t row, Tick now);
  Tick first_column(const Span& span, bool write, Tick now) const;
  // By the bank alone, after a precharge from `now` on.
  Tick can_activate(const Bank& bank, Tick now) const;
  Tick refresh_closed(unsigned set, unsigned group, Tick now);
  void columns(const Span& span, bool write, Tick first);
  void note_columns(const Span& span, bool write, Tick first);
  void note_gap(const Span& span, bool write, Tick first);
  void tell(Tick tick, Command::Kind kind, unsigned set, unsigned group, std::uint32_t row) const {
    if (observer_) {
      observer_({tick, kind, set / kBanksPerGroup, group, set % kBanksPerGroup, row});
    }
  }

  const Timing& timing_;
  std::vector<Set> sets_;
  std::array<std::uint32_t, kAnyBank + 1> open_rows_;  // the same rows, for a quick look
  RowBus row_bus_;
  Tick last_activate_ = kLongAgo, last_refresh_ = kLongAgo;
  std::array<Tick, 4> four_activates_;  // the last four, the oldest at window_
  unsigned window_ = 0;
  Tick last_column_ = kLongAgo, last_read_ = kLongAgo, last_write_ = kLongAgo;
  unsigned last_stack_id_ = 0;
  std::array<Tick, kBankGroups> group_activate_, group_read_, group_write_;
  // Clocks of the column bus between two spans of one direction and stack id, and when each bank
  // group is used before and after.
  struct Gap {
    Tick begin = 0, end = 0;
    std::array<Tick, kBankGroups> before{}, after{};
  };
  Gap gap_;
  CommandObserver observer_;
};

}  // namespace tern::hbm

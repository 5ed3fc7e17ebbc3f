// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sw/spec/memory_access.h"
#include "systemc/hbm/device.h"
#include "systemc/hbm/statistics.h"

namespace tern::hbm {

// The part of a request within one piece (config.h), as the scheduler sees it.
struct Access {
  enum class Kind : std::uint8_t {
    kRead,
    kWrite,
    kUpdate,  // reads its `read` span, then writes its `write` span
    kScrub,   // reads, and writes if its `write` span is not empty; has a separate slot
  };

  Kind kind = Kind::kRead;
  std::uint8_t traffic_class = 0;
  Span read{}, write{};
  Tick arrival = 0;
  std::uint64_t sequence = 0;  // order among equal arrivals
  std::uint32_t piece = 0;     // number of the piece in the stack
  // Returned to the owner.
  std::uint32_t request = 0;
  std::uint64_t offset = 0;  // in the stack
  std::uint32_t bytes = 0;
  WriteOp op = WriteOp::kStore;
  std::uint8_t* data = nullptr;
  std::unique_ptr<std::uint8_t[]> copy;  // copy of the data of a write whose effect had to wait
};

// Notified when commands of an access are decided; the functional effect belongs there.
class AccessSink {
 public:
  // The read of a read, update or scrub; `end`: its last data is on the bus before this clock.
  virtual void read_decided(Access& access, Tick end) = 0;
  // Its last command is decided and it leaves its queue; the effect of a write.
  virtual void retired(Access& access) = 0;

 protected:
  ~AccessSink() = default;
};

// Queues, scheduler and refresh of one pseudo-channel. It decides when a command slot is free, one
// access at a time, and is not called in between: see next_decision(). README.md has the rules.
class PseudoChannel {
 public:
  PseudoChannel(const Config& config, const Timing& timing, AccessSink* sink);

  // Room for that many more accesses of this kind and class; an update needs a slot in both queues.
  bool has_room(Access::Kind kind, unsigned traffic_class, unsigned count) const;
  // Whether a waiting access concerns the same bytes (one of the two being a write): then the
  // effect of this one must wait for its turn.
  bool conflicts(const Access& access) const;
  // Accesses come in order of arrival, and not before the last decision.
  void add(Access access);

  // When decide() is to be called; kNever when nothing waits.
  Tick next_decision() const { return next_; }
  // Decides everything up to and including a moment.
  void decide_until(Tick until) {
    while (next_ <= until) decide();
  }
  // Whether decisions to come may complete anything.
  bool reads_wait() const { return !reads_.empty(); }
  bool empty() const { return reads_.empty() && writes_.empty(); }

  // Refreshes that fall due while nothing waits are caught up with the next access, or here.
  void settle(Tick now) { refresh_due(now); }
  const ChannelCounters& counters() const { return counters_; }
  std::uint64_t waiting_write_bytes() const;  // in the write queue, whole bursts
  Device& device() { return device_; }
  // For a snapshot, while empty().
  void archive_state(base::StateArchive& archive, Tick now);

 private:
  using List = std::vector<std::uint16_t>;  // slots in order of arrival
  struct Slot {
    Access access;
    unsigned blocked_by = 0;  // older accesses to the same bytes
    bool blocks = false;
    bool writing = false;  // is in the write list
    bool opened = false;   // rows were opened for it
  };
  // What a search for open rows reads of a slot; for one that is blocked, any row.
  struct Rows {
    std::uint32_t row;
    unsigned bank;
  };
  struct Pick {
    int position = -1;  // in the list
    Tick wake = kNever;
  };

  static const Span& span_of(const Slot& slot) {
    return slot.writing ? slot.access.write : slot.access.read;
  }
  bool may_be_open(std::uint16_t slot) const {
    return device_.may_be_open(rows_[slot].bank, rows_[slot].row);
  }
  static bool writes(const Access& access) { return access.write.count != 0; }
  static unsigned hash_of(const Access& access) { return access.piece / 32 % 256; }
  static std::uint32_t bursts_of(const Access& access);
  static bool overlap(const Access& a, const Access& b);

  // Each less urgent class leaves another eighth of the slots of a queue to the others.
  static unsigned places(unsigned queue, unsigned traffic_class) {
    return queue - queue / 8 * traffic_class;
  }
  // A drain starts at this number of writes: at most the places of the least urgent class among
  // them, so that a queue which is full for that class drains.
  unsigned write_high() const;
  unsigned write_low() const { return config_.write_low == 0 ? 1 : config_.write_low; }

  void decide();
  void choose_direction(Tick now);
  Tick writes_from(Tick now) const;
  Tick open_rows_ahead(Tick now);
  void open_rows_for_drain(Tick now);
  bool drain_is_over(Tick now) const {
    return draining_ && drain_left_ < config_.write_high && !arrived(writes_, write_low() - 1, now);
  }
  bool rows_needed(const List& list, const Span& span, Tick now) const;
  void count_row(Slot* slot);
  Pick pick(const List& list, Tick now);
  Pick pick_aged(const List& list, Tick now, std::uint32_t* kept);
  Pick pick_class(const List& list, unsigned traffic_class, Tick now, std::uint32_t* kept,
                  Tick* wake);
  int pick_for_gap(const List& list, Tick now) const;
  bool older_needs_other_row(const List& list, unsigned position) const;
  bool opens_unseen(const List& list, int position, Tick now, Tick free) const;
  // True when it opened rows.
  bool commit(List* list, unsigned position, Tick now);
  void fill_gap(List* list, unsigned position, Tick now);
  void finish(List* list, unsigned position, Tick last_column);
  void insert(List* list, std::uint16_t slot);
  void note_rows(std::uint16_t slot);
  void retire(std::uint16_t slot);
  bool arrived(const List& list, std::size_t index, Tick now) const {
    return index < list.size() && slots_[list[index]].access.arrival <= now;
  }
  Tick earliest_arrival() const;
  void wait_for_next(Tick now);

  void refresh_due(Tick now);
  void refresh_owed(Tick now, std::uint32_t left);
  void refresh_now(unsigned unit, Tick now);
  void refresh_blocking(unsigned unit, Tick due);
  void close_before_refresh(const List& list, Tick now);
  bool refresh_comes_first() const { return blocking_ && refresh_next_ <= device_.next_column(); }
  bool refresh_overtakes(const Slot& slot, Tick now) const;
  Pick pick_before_refresh(const List& list, Tick now);
  unsigned refresh_commands() const {  // of a unit
    return config_.refresh == Refresh::kPerBank ? kBankGroups : 1;
  }
  void owe(unsigned unit, int change);
  // When the refresh after those that have become due does.
  Tick next_refresh() const { return (refresh_count_ + 1) * timing_.refi / refresh_units_; }
  std::uint32_t waiting_sets(Tick now) const;

  const Config& config_;
  const Timing& timing_;
  AccessSink* sink_;
  Device device_;

  std::vector<Slot> slots_;
  std::vector<Rows> rows_;
  std::vector<std::uint16_t> free_;
  List reads_, writes_;
  unsigned reads_held_ = 0, writes_held_ = 0;  // slots taken in the queues
  std::array<std::uint16_t, kTrafficClasses> in_class_read_{}, in_class_write_{};
  // Number of waiting accesses per hash of their piece: zero means no conflict.
  std::array<std::uint16_t, 256> any_filter_{}, write_filter_{};

  unsigned recent_set_ = 0;  // of the last access
  std::uint32_t left_ = 0;   // the set before it, as a mask, until its chance of a refresh
  Tick next_ = kNever, last_decision_ = 0, turn_from_ = 0;
  Tick blocked_until_ = kLongAgo;  // a refresh that stops everything
  Tick opened_from_ = 0;           // writes that came later may have rows to open
  Tick gap_from_ = 0;              // accesses that came later may fill the gap
  bool draining_ = false, hazard_ = false, last_was_write_ = false;
  unsigned drain_left_ = 0;

  const bool blocking_;  // Refresh::kBlocking
  // Units are sets with kPerBank, banks with kBlocking, or one unit with kAllBank.
  unsigned refresh_units_ = 0;
  std::int64_t refresh_count_ = 0;  // refreshes that have become due
  Tick refresh_next_ = kNever;
  std::array<std::uint8_t, kMaxStackIds * kBanksPerGroup> owed_{};
  // Units that owe any, more than half of what may be postponed, more than all of it.
  std::uint32_t owed_mask_ = 0, half_mask_ = 0, forced_mask_ = 0;

  ChannelCounters counters_;
};

}  // namespace tern::hbm

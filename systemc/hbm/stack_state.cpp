// SPDX-License-Identifier: Apache-2.0
// Snapshots of a stack that rests: what its times and bytes to come depend on.
#include <sstream>

#include "systemc/hbm/stack.h"

namespace tern::hbm {

namespace {

// A time is one of the past, or little later: of commands that have been decided.
constexpr Tick kLatest = 1'000'000;

void archive_tick(base::StateArchive& archive, Tick& tick, Tick most) {
  archive.number(tick, kLongAgo, most);
}
template <typename Ticks>
void archive_ticks(base::StateArchive& archive, Ticks& ticks, Tick most) {
  for (Tick& tick : ticks) archive_tick(archive, tick, most);
}

}  // namespace

void EccMemory::archive_state(base::StateArchive& archive) {
  bytes_.archive_state(archive);
  archive.numbers(counters_.injected_flips, counters_.corrected_reads, counters_.scrubbed,
                  counters_.uncorrectable);
  const std::uint64_t bursts = bytes_.size() / kBurstBytes;
  std::map<std::uint64_t, Flips> flips;
  const std::size_t count = archive.size(flips_.size(), bursts);
  auto saved = flips_.begin();
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t burst = 0;
    Flips wrong;
    if (!archive.restores()) {
      burst = saved->first;
      wrong = saved->second;
      ++saved;
    }
    archive.number(burst, bursts - 1);
    archive.each(wrong.mask.data);
    archive.number(wrong.mask.check, std::uint16_t{(1u << Codeword::kCheckBits) - 1});
    if (wrong.mask == Codeword() || !flips.emplace(burst, wrong).second) archive.damaged();
  }
  flips_ = std::move(flips);
}

void Device::archive_state(base::StateArchive& archive, Tick most) {
  archive.constant(sets_.size());
  for (unsigned set = 0; set < sets_.size(); ++set) {
    for (unsigned group = 0; group < kBankGroups; ++group) {
      Bank& bank = sets_[set][group];
      std::int64_t row = bank.row;
      archive.number(row, kClosed, std::int64_t{kAnyRow} - 1);
      set_row(set, group, row);
      archive_tick(archive, bank.activate_ready, most);
      archive_tick(archive, bank.precharge_ready, most);
      archive_tick(archive, bank.column_ready, most);
    }
  }
  row_bus_.archive_state(archive, most);
  archive_tick(archive, last_activate_, most);
  archive_tick(archive, last_refresh_, most);
  archive_ticks(archive, four_activates_, most);
  archive.number(window_, static_cast<unsigned>(four_activates_.size()) - 1);
  for (Tick* last : {&last_column_, &last_read_, &last_write_}) archive_tick(archive, *last, most);
  archive.number(last_stack_id_, static_cast<unsigned>(sets_.size()) / kBanksPerGroup - 1);
  for (auto* groups : {&group_activate_, &group_read_, &group_write_})
    archive_ticks(archive, *groups, most);
  archive_tick(archive, gap_.begin, most);
  archive_tick(archive, gap_.end, most);
  archive_ticks(archive, gap_.before, most);
  for (Tick& after : gap_.after) archive.number(after, kLongAgo, kNever);
}

void PseudoChannel::archive_state(base::StateArchive& archive, Tick now) {
  const Tick most = now + kLatest;
  if (!archive.restores()) refresh_due(now);
  device_.archive_state(archive, most);
  archive.number(recent_set_, config_.stack_ids * kBanksPerGroup - 1);
  archive.number(left_);
  for (Tick* tick : {&last_decision_, &turn_from_, &blocked_until_, &opened_from_, &gap_from_})
    archive_tick(archive, *tick, most);
  archive.numbers(draining_, hazard_, last_was_write_);
  archive.number(drain_left_, config_.write_high);
  if (refresh_units_ != 0) {
    const std::int64_t units = refresh_units_;
    archive.number(refresh_count_, std::int64_t{0}, (now / timing_.refi + 2) * units);
    refresh_next_ = next_refresh();
    if (refresh_next_ <= now) archive.damaged();
  }
  for (unsigned unit = 0; unit < owed_.size(); ++unit) {
    std::uint8_t owed = owed_[unit];
    archive.number(owed);
    if (owed > (blocking_ || unit >= refresh_units_ ? 0 : config_.refresh_postpone + 1))
      archive.damaged();
    if (!blocking_ && unit < refresh_units_) owe(unit, owed - owed_[unit]);
  }
  ChannelCounters& c = counters_;
  archive.numbers(c.read_pieces, c.write_pieces, c.read_bytes, c.write_bytes, c.row_hits,
                  c.row_misses, c.row_conflicts, c.refreshes, c.turnarounds, c.busy_ticks);
}

bool Stack::rests(std::uint64_t now_fs) {
  decide_before(now_fs);
  for (const auto& channel : channels_) {
    if (!channel->empty()) return false;
  }
  return outstanding_ == 0 && done_.empty();
}

void Stack::archive_state(base::StateArchive& archive, std::uint64_t now_fs) {
  const Tick now = timing_.clock.at_or_after(now_fs);
  if (!archive.restores()) catch_up(now_fs);
  memory_.archive_state(archive);
  archive.constant(channels_.size());
  for (unsigned i = 0; i < channels_.size(); ++i) {
    channels_[i]->archive_state(archive, now);
    note_next(i);
  }
  archive.numbers(sequence_, order_);
  double scrub = scrub_gb_per_s_;
  archive.number(scrub, 0.0, 1e6);
  if (scrub != 0 && scrub < 1e-6) archive.damaged();
  if (archive.restores()) set_scrub(now_fs, scrub);
  if (scrub_step_fs_ != 0) archive.number(next_scrub_fs_, now_fs + 1, now_fs + scrub_step_fs_);
  archive.number(scrub_cursor_, memory_.bytes().size() / kPieceBytes + 1);
  archive.number(scrub_pieces_);
  if (config_.faults_per_s > 0) {
    std::ostringstream now;
    now << random_;
    std::string state = now.str();
    archive.text(state, 1 << 14);
    std::istringstream saved(state);
    if (!(saved >> random_)) archive.damaged();
    archive.number(next_flip_fs_, now_fs + 1, ~std::uint64_t{0});
  }
  read_latency_.archive_state(archive);
  write_latency_.archive_state(archive);
}

}  // namespace tern::hbm

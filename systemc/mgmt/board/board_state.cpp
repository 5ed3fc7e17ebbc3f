// SPDX-License-Identifier: Apache-2.0
// Snapshots of a board.
#include "systemc/mgmt/board/board_state.h"

#include <algorithm>

#include "sw/base/user_error.h"

namespace tern::mgmt {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

BoardState Board::save() const {
  BoardState state = save_devices();
  for (std::uint64_t at = 0; at < ram_.bytes(); at += BoardState::kPageBytes) {
    const std::uint8_t* page = ram_.data() + at;
    const std::uint8_t* end = page + BoardState::kPageBytes;
    if (std::all_of(page, end, [](std::uint8_t byte) { return byte == 0; })) continue;
    state.pages.push_back({ram_.base() + at, {page, end}});
  }
  return state;
}

BoardState Board::save_devices() const {
  BoardState state;
  state.ram_bytes = ram_.bytes();
  for (const auto& runner : runners_) state.harts.push_back(runner->save());
  state.finisher = finisher_.save();
  state.clint = clint_.save();
  state.plic = plic_.save();
  state.uart = uart_.save();
  state.rtc = rtc_.save();
  if (domain_) state.domain = domain_->save();
  state.turn = turn_;
  state.last_hart = last_hart_;
  state.round_end_fs = round_end_ > sc_time_stamp() ? (round_end_ - sc_time_stamp()).value() : 0;
  state.reset_pending = reset_pending_;
  state.reset_cause = reset_cause_;
  state.resets = resets_;
  return state;
}

void Board::restore(const BoardState& state) {
  const bool fits = state.ram_bytes == ram_.bytes() && state.harts.size() == runners_.size() &&
                    state.turn <= runners_.size() && state.last_hart < runners_.size() &&
                    state.domain.has_value() == (domain_ != nullptr);
  const bool pages_fit =
      std::all_of(state.pages.begin(), state.pages.end(), [this](const BoardState::Page& page) {
        return page.bytes.size() == BoardState::kPageBytes &&
               page.address % BoardState::kPageBytes == 0 &&
               ram_.contains(page.address, page.bytes.size());
      });
  if (!fits || !pages_fit) throw RunError("board: the snapshot is one of another configuration");
  ram_.clear_all();  // pages that are zero in the snapshot stay absent on the host
  for (const BoardState::Page& page : state.pages) {
    ram_.write(page.address, page.bytes.data(), page.bytes.size());
  }
  restore_devices(state);
  if (!joined_) return;
  restored_.notify(sc_core::SC_ZERO_TIME);
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void Board::restore_devices(const BoardState& state) {
  finisher_.restore(state.finisher);
  clint_.restore(state.clint);
  plic_.restore(state.plic);
  rtc_.restore(state.rtc);
  uart_.restore(state.uart);
  if (domain_) domain_->restore(*state.domain);
  // The devices have reported their lines as they are now; a hart that is ahead has others.
  for (std::size_t i = 0; i < runners_.size(); ++i) runners_[i]->restore(state.harts[i]);
  turn_ = state.turn;
  last_hart_ = state.last_hart;
  round_end_ = sc_time_stamp() + sc_time::from_value(state.round_end_fs);
  reset_pending_ = state.reset_pending;
  reset_cause_ = state.reset_cause;
  resets_ = state.resets;
  stop_ = {};
}

}  // namespace tern::mgmt

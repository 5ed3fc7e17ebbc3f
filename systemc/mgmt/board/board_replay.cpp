// SPDX-License-Identifier: Apache-2.0
// Repeating a stretch of a run: the same harts in the same order come to the same moments.
#include "systemc/mgmt/board/board_state.h"

#include <algorithm>

#include "sw/base/user_error.h"

namespace tern::mgmt {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

namespace {

// Cycles of a turn at a time, a millisecond of the host's, with an observer some more: quanta may
// be long, and somebody may want to stop.
constexpr std::uint64_t kSlice = 100'000;

}  // namespace

std::uint64_t Board::cycles() const {
  std::uint64_t sum = 0;
  for (const auto& runner : runners_) sum += runner->hart().cycles();
  return sum;
}

Moment Board::moment() const {
  return {sc_time_stamp() - late_, cycles(), turn_ == runners_.size() ? 0 : turn_ + 1};
}

void Board::set_observer(InstructionObserver* observer) {
  observer_ = observer;
  for (const auto& runner : runners_) runner->set_observer(replaying_ ? nullptr : observer_, late_);
}

void Board::set_replaying(bool replaying) {
  replaying_ = replaying;
  input_log_.set_mode(replaying ? InputLog::Mode::kReplay : InputLog::Mode::kRecord);
  set_observer(observer_);
}

void Board::stop_recording() {
  set_replaying(false);
  input_log_.set_mode(InputLog::Mode::kPass);
}

void Board::go_back(const BoardState& state, const Moment& moment,
                    const std::vector<std::optional<Moment>>& newest) {
  input_log_.set_mode(InputLog::Mode::kHold);
  restore_devices(state);
  late_ = sc_time_stamp() - moment.at;
  newest_ = newest;
  set_replaying(true);
}

BoardStop Board::replay(const Replay& replay, const sc_time& limit) {
  set_limit(limit);
  replay_ = replay;
  BoardStop stop = simulate();
  const std::optional<Moment> until = replay_->until;
  replay_.reset();
  if (until && stop.kind == BoardStop::Kind::kReached && !(moment() == *until))
    throw RunError("board: the run did not repeat; please report this");
  return stop;
}

HartRunner::Limit Board::limit_of_turn() const {
  HartRunner& runner = *runners_[turn_];
  std::uint64_t cycles_left = kSlice;
  HartRunner::Limit limit;
  if (replay_) {
    limit.single = replay_->hart == turn_;
    const Moment here = moment();
    if (replay_->until && here.at >= replay_->until->at && here.turn >= replay_->until->turn)
      cycles_left =
          std::min(cycles_left, std::max(replay_->until->cycles, here.cycles) - here.cycles);
  }
  limit.cycles = runner.hart().cycles() + cycles_left;
  return limit;
}

// What the hart of this turn has come to.
void Board::judge(HartRunner::Ended ended) {
  using Ended = HartRunner::Ended;
  const std::uint64_t executed = runners_[turn_]->executed();
  if (executed != 0) {
    newest_[turn_] = moment();
    newest_[turn_]->cycles -= runners_[turn_]->hart().cycles() - (executed - 1);
  }
  const bool stops = !replay_ || replay_->stops;
  if (ended == Ended::kBreakpoint && stops) stopped(BoardStop::Kind::kBreakpoint, turn_);
  if (ended == Ended::kWatchpoint && stops) stopped(BoardStop::Kind::kWatchpoint, turn_);
  if (replay_ && replay_->hart == turn_ && executed != 0) stopped(BoardStop::Kind::kStep, turn_);
}

void Board::check_replay() {
  if (replay_->until && !(moment() < *replay_->until))
    stopped(BoardStop::Kind::kReached, turn_ == runners_.size() ? 0 : turn_);
}

}  // namespace tern::mgmt

// SPDX-License-Identifier: Apache-2.0
// Forwards and backwards.
#include "systemc/mgmt/history/history.h"

#include <algorithm>
#include <utility>

namespace tern::mgmt {

namespace {

using Kind = BoardStop::Kind;

// By the software.
bool is_end(const BoardStop& stop) {
  return stop.kind == Kind::kPass || stop.kind == Kind::kFail || stop.kind == Kind::kAsleep;
}

bool is_point(const BoardStop& stop) {
  return stop.kind == Kind::kBreakpoint || stop.kind == Kind::kWatchpoint;
}

}  // namespace

History::History(Board& board, const sc_core::sc_time& limit, const Limits& limits)
    : board_(board),
      limit_(limit),
      limits_(limits),
      pages_(board.ram(), board.memory(), limits.bytes) {
  restart();
  board_.set_boundary([this] { boundary(); });
}

History::~History() {
  board_.set_boundary({});
  board_.stop_recording();
}

void History::leave_past() {
  past_ = false;
  board_.set_replaying(false);
}

BoardStop History::run() {
  if (past_) {
    BoardStop stop = repeat(end_, {}, true);
    if (stop.kind != Kind::kReached) return stop;
  }
  if (ended_) return *ended_;
  BoardStop stop = board_.run(limit_);
  end_ = board_.moment();
  if (is_end(stop)) ended_ = stop;
  return stop;
}

BoardStop History::step(unsigned hart) {
  if (past_) {
    BoardStop stop = repeat(end_, hart, true);
    if (stop.kind != Kind::kReached) return stop;
  }
  if (ended_) return *ended_;
  Event event;
  event.at = board_.moment();
  event.step = hart;
  BoardStop stop = board_.step(hart, limit_);
  // A breakpoint that has woken the hart, but not let it pass.
  if (!board_.stepped(hart) && !(board_.moment() == event.at)) stop = board_.step(hart, limit_);
  if (board_.stepped(hart)) note(std::move(event));
  end_ = board_.moment();
  if (is_end(stop)) ended_ = stop;
  return stop;
}

// Memory of a stretch that had too many pages cannot be taken back.
void History::forget_unreachable() {
  if (pages_.overflowed()) restart();
}

BoardStop History::at_begin() {
  BoardStop stop = go_to(begin());
  if (stop.kind == Kind::kReached) stop.kind = Kind::kBegin;
  return stop;
}

BoardStop History::step_back(unsigned hart) {
  forget_unreachable();
  const std::optional<Moment> before = board_.before_newest(hart);
  if (!before || *before < begin()) return at_begin();
  BoardStop stop = go_to(*before);
  if (stop.kind == Kind::kReached) stop.kind = Kind::kStep;
  stop.hart = hart;
  return stop;
}

// Stretch by stretch, each from its start: what is met last counts.
BoardStop History::run_back() {
  forget_unreachable();
  Moment bound = board_.moment();
  for (;;) {
    const std::optional<std::size_t> record = record_before(bound, false);
    if (!record) return at_begin();
    restore(*record);
    const Moment from = board_.moment();
    std::optional<std::pair<Moment, BoardStop>> found;
    BoardStop stop;
    while ((stop = repeat(bound, {}, true)).kind != Kind::kReached) {
      if (!is_point(stop)) return stop;
      const Moment at =
          stop.kind == Kind::kWatchpoint ? *board_.before_newest(stop.hart) : board_.moment();
      if (!(at < bound)) continue;
      found.emplace(at, stop);
      met_ = board_.hart(stop.hart).met_watchpoint();
    }
    if (found) {
      stop = go_to(found->first);
      return stop.kind == Kind::kReached ? found->second : stop;
    }
    bound = from;
  }
}

BoardStop History::go_to(const Moment& moment) {
  const std::optional<std::size_t> record = record_before(moment, true);
  if (!record) return stop_here(Kind::kBegin);  // the history has become shorter meanwhile
  restore(*record);
  wanted_ = moment.at;
  BoardStop stop = repeat(moment, {}, false);
  wanted_.reset();
  return stop;
}

BoardStop History::stop_here(BoardStop::Kind kind) const {
  BoardStop stop;
  stop.kind = kind;
  stop.at = board_.now();
  return stop;
}

const History::Event* History::next_event() const {
  return next_ - forgotten_ < events_.size() ? &events_[next_ - forgotten_] : nullptr;
}

void History::repeat_writes() {
  const Moment here = board_.moment();
  for (const Event* event; (event = next_event()) != nullptr; ++next_) {
    if (event->step || !(event->at == here)) break;
    if (event->registers) {
      board_.hart(event->registers->hart).restore(event->registers->state);
    } else {
      board_.poke(event->address, event->bytes.data(), static_cast<unsigned>(event->bytes.size()));
    }
  }
  if (past_ && here == end_ && next_event() == nullptr) leave_past();
}

// The step that came at this moment, if one did; why it stopped.
std::optional<BoardStop> History::repeat_step(bool stops) {
  const Event* event = next_event();
  if (event == nullptr || !event->step || !(event->at == board_.moment())) return std::nullopt;
  const unsigned hart = *event->step;
  BoardStop stop = board_.step(hart, limit_);
  if (!board_.stepped(hart)) {
    if (stops) return stop;
    stop = board_.step(hart, limit_);  // past a breakpoint
  }
  ++next_;
  boundary();
  return stop;
}

// What was recorded, until a moment, or the end of the next instruction of a hart (kStep).
BoardStop History::repeat(const Moment& until, std::optional<unsigned> hart, bool stops) {
  for (;;) {
    repeat_writes();
    if (!(board_.moment() < until)) return stop_here(Kind::kReached);
    BoardStop stop;
    if (const auto step = repeat_step(stops)) {
      stop = *step;
      const bool own = hart == stop.hart && board_.stepped(*hart);
      if (!own && !(stops && is_point(stop))) continue;
    } else {
      const Event* event = next_event();
      const Moment& next = event != nullptr && event->at < until ? event->at : until;
      stop = board_.replay({next, hart, stops}, limit_);
      // The end of the software is the end of what was recorded.
      if (stop.kind == Kind::kReached || is_end(stop)) continue;
    }
    repeat_writes();
    return stop;
  }
}

}  // namespace tern::mgmt

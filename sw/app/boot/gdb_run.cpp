// SPDX-License-Identifier: Apache-2.0
#include "sw/app/boot/gdb_run.h"

#include <chrono>
#include <csignal>

#include "sw/app/boot/board_target.h"
#include "systemc/mgmt/gdb/gdb_server.h"
#include "systemc/mgmt/history/history.h"

namespace tern::app {

namespace {

using mgmt::BoardStop;
using Kind = BoardStop::Kind;

constexpr std::chrono::milliseconds kPeriod(5);

// Looks at the debugger now and then: rounds of a board are short.
std::function<bool()> polls(gdb::GdbServer& server, const std::function<void()>& tick) {
  return [&server, tick, next = std::chrono::steady_clock::now()]() mutable {
    const auto now = std::chrono::steady_clock::now();
    if (now < next) return false;
    next = now + kPeriod;
    tick();
    return server.wants_stop();
  };
}

bool has_ended(const BoardStop& stop) {
  return stop.kind == Kind::kPass || stop.kind == Kind::kFail || stop.kind == Kind::kTimeLimit ||
         stop.kind == Kind::kAsleep || stop.kind == Kind::kInterrupted;
}

bool ended_by_software(const BoardStop& stop) {
  return stop.kind == Kind::kPass || stop.kind == Kind::kFail || stop.kind == Kind::kAsleep;
}

gdb::Event ended_by(int signal) {
  gdb::Event event;
  event.kind = gdb::Event::Kind::kEnded;
  event.code = static_cast<std::uint8_t>(signal);
  return event;
}

gdb::Event event_of(mgmt::Board& board, const BoardStop& stop) {
  gdb::Event event;
  event.hart = stop.hart;
  switch (stop.kind) {
    case Kind::kBreakpoint:
      event.kind = gdb::Event::Kind::kBreakpoint;
      break;
    case Kind::kWatchpoint:
      event.kind = gdb::Event::Kind::kWatchpoint;
      event.watchpoint = board.hart(stop.hart).met_watchpoint();
      break;
    case Kind::kStep:
      event.kind = gdb::Event::Kind::kStep;
      break;
    case Kind::kRequest:
      break;
    case Kind::kBegin:
      event.kind = gdb::Event::Kind::kBegin;
      break;
    case Kind::kInterrupted:
      event = ended_by(SIGINT);
      break;
    default:
      event.kind = gdb::Event::Kind::kExit;
      event.code = static_cast<std::uint8_t>(stop.code);  // as far as the protocol has room
      if (stop.kind == Kind::kPass) event.code = 0;
      if (stop.kind != Kind::kPass && event.code == 0) event.code = 1;
  }
  return event;
}

BoardStop fulfil(const gdb::Wish& wish, mgmt::History& history) {
  switch (wish.kind) {
    case gdb::Wish::Kind::kStep:
      return history.step(wish.hart);
    case gdb::Wish::Kind::kStepBack:
      return history.step_back(wish.hart);
    case gdb::Wish::Kind::kRunBack:
      return history.run_back();
    default:
      return history.run();
  }
}

}  // namespace

BoardStop run_with_gdb(mgmt::Board& board, std::uint16_t port, const sc_core::sc_time& limit,
                       const std::function<bool()>& done, const std::function<void()>& tick) {
  mgmt::History history(board, limit);
  BoardTarget target(board, history);
  gdb::GdbServer server(port, target);
  board.set_poll(polls(server, tick));
  bool at_end = false;  // and the user knows
  for (;;) {
    const std::optional<gdb::Wish> wish = server.serve();
    if (!wish) {
      server.end(ended_by(SIGINT));
      return {Kind::kInterrupted, 0, 0, board.now()};
    }
    if (wish->kind == gdb::Wish::Kind::kKill) return {Kind::kRequest, 0, 0, board.now()};
    BoardStop stop = fulfil(*wish, history);
    const bool stays = target.stays() && !at_end && !done() && ended_by_software(stop);
    const bool ends = !stays && (has_ended(stop) || done());
    at_end = stays;
    gdb::Event event = event_of(board, stop);
    if (wish->kind == gdb::Wish::Kind::kRunBack && stop.kind == Kind::kWatchpoint)
      event.watchpoint = history.met_watchpoint();
    if (stays) event.kind = gdb::Event::Kind::kRequest;
    if (ends && stop.kind != Kind::kInterrupted) event.kind = gdb::Event::Kind::kExit;
    server.report(event);
    if (ends) return stop;
  }
}

}  // namespace tern::app

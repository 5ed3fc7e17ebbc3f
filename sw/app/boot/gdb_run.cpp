// SPDX-License-Identifier: Apache-2.0
#include "sw/app/boot/gdb_run.h"

#include <chrono>

#include "sw/app/boot/board_target.h"
#include "systemc/mgmt/gdb/gdb_server.h"

namespace tern::app {

namespace {

using mgmt::BoardStop;
using Kind = BoardStop::Kind;

constexpr std::chrono::milliseconds kPeriod(5);

// Looks at the debugger now and then: rounds of a board are short.
std::function<bool()> polls(gdb::GdbServer& server) {
  return [&server, next = std::chrono::steady_clock::now()]() mutable {
    const auto now = std::chrono::steady_clock::now();
    if (now < next) return false;
    next = now + kPeriod;
    return server.wants_stop();
  };
}

bool has_ended(const BoardStop& stop) {
  return stop.kind == Kind::kPass || stop.kind == Kind::kFail || stop.kind == Kind::kTimeLimit ||
         stop.kind == Kind::kAsleep || stop.kind == Kind::kInterrupted;
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
    default:
      event.kind = gdb::Event::Kind::kExit;
      event.code = static_cast<std::uint8_t>(stop.code);  // as far as the protocol has room
      if (stop.kind == Kind::kPass) event.code = 0;
      if (stop.kind != Kind::kPass && event.code == 0) event.code = 1;
  }
  return event;
}

}  // namespace

BoardStop run_with_gdb(mgmt::Board& board, std::uint16_t port, const sc_core::sc_time& limit,
                       const std::function<bool()>& done) {
  BoardTarget target(board);
  gdb::GdbServer server(port, target);
  board.set_poll(polls(server));
  for (;;) {
    const std::optional<gdb::Wish> wish = server.serve();
    if (!wish) return {Kind::kInterrupted, 0, 0, board.now()};
    if (wish->kind == gdb::Wish::Kind::kKill) return {Kind::kRequest, 0, 0, board.now()};
    BoardStop stop =
        wish->kind == gdb::Wish::Kind::kStep ? board.step(wish->hart, limit) : board.run(limit);
    const bool ends = has_ended(stop) || done();
    gdb::Event event = event_of(board, stop);
    if (ends) event.kind = gdb::Event::Kind::kExit;
    server.report(event);
    if (ends) return stop;
  }
}

}  // namespace tern::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systemc/mgmt/gdb/packet.h"
#include "systemc/mgmt/gdb/target.h"

namespace tern::gdb {

// One client's conversation with the target: bytes in, bytes out. The target begins standing
// still. What it supports: README.md.
class Session {
 public:
  explicit Session(Target& target);
  // Removes the client's breakpoints and watchpoints.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Answers what the client has sent until it wants something; the rest waits.
  void receive(std::string_view bytes);
  // What the client wants; the target goes on until report().
  std::optional<Wish> take_wish();
  // The target stands still again.
  void report(const Event& event);
  // While the target runs: the client has sent an interrupt.
  bool interrupted() const { return interrupted_; }
  // The target has new harts, without breakpoints.
  void harts_changed();
  // The target ends, whether the client waits for something or not.
  void end(const Event& event);

  std::string take_output() { return std::exchange(output_, {}); }

 private:
  enum class Kind : std::uint8_t { kBreakpoint, kWatchpoint };
  struct Point {
    Kind kind;
    riscv::Watchpoint watchpoint;  // a breakpoint: its address
    bool operator<(const Point& other) const;
  };

  void handle();
  void answer(std::string_view packet);
  void reply(std::string_view text);
  void reply_registers();
  void reply_register(std::string_view text);
  void set_registers(std::string_view text);
  void set_register(std::string_view text);
  void read_memory(std::string_view text);
  void write_memory(std::string_view text, bool binary);
  void insert_point(std::string_view text, bool insert);
  void set_point(const Point& point, bool insert);
  void set_thread(std::string_view text);
  void resume(std::string_view actions);
  void step_or_run(std::string_view text, Wish::Kind kind);
  void go_back(std::string_view text);
  void reply_stop();
  // session_query.cpp
  void query(std::string_view text);
  void transfer_description(std::string_view text);
  void thread_text(std::string_view text);
  void monitor(std::string_view hex);

  riscv::Hart& hart() { return target_.hart(hart_); }
  // The number of a thread, "0" and "-1" stand for the current one.
  std::optional<unsigned> thread_of(std::string_view* text) const;
  // Bytes at a virtual address of the current hart, page by page; how many could be reached.
  template <typename Page>
  std::size_t by_page(std::uint64_t address, std::size_t bytes, const Page& page);

  Target& target_;
  const std::string description_;
  PacketReader reader_;
  std::string output_, last_;  // last_: the last packet, for a client that did not get it
  bool acknowledges_ = true;
  unsigned hart_ = 0;                     // the client looks at
  std::optional<unsigned> stepped_hart_;  // of packet Hc; nothing: that one
  std::optional<Wish> wish_;
  bool runs_ = false, interrupted_ = false;
  Event event_;
  std::set<Point> points_;
};

}  // namespace tern::gdb

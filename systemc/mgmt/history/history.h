// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systemc/mgmt/board/board.h"
#include "systemc/mgmt/board/board_state.h"
#include "systemc/mgmt/history/page_log.h"

namespace tern::mgmt {

// Runs a board so that it can be run backwards: keeps records of its state, and repeats the run
// from one of them to any moment since. README.md.
class History {
 public:
  struct Limits {
    // Between two records.
    std::uint64_t instructions = 1'000'000;
    sc_core::sc_time time = sc_core::sc_time(100, sc_core::SC_MS);
    std::size_t records = 200;
    std::size_t bytes = std::size_t{256} << 20;  // of all of them, about
  };

  // Begins now. limit: of simulated time. The board must outlive it.
  History(Board& board, const sc_core::sc_time& limit, const Limits& limits);
  History(Board& board, const sc_core::sc_time& limit) : History(board, limit, Limits()) {}
  ~History();
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  // As those of the board, but that software that has ended stays ended; in the past, what was
  // recorded happens again, and a step goes to the end of the hart's next instruction.
  BoardStop run();
  BoardStop step(unsigned hart);
  // To before the newest instruction of a hart (kStep), or the begin of the history (kBegin).
  BoardStop step_back(unsigned hart);
  // To the last moment before now at which a breakpoint is met, or before an instruction that meets
  // a watchpoint; otherwise to the begin.
  BoardStop run_back();
  // To a moment at which the board has stood still, not before begin() (kReached).
  BoardStop go_to(const Moment& moment);
  // Of the last run_back() that ended so.
  const riscv::Watchpoint& met_watchpoint() const { return met_; }

  // A debugger's write is part of the history; in the past it ends it: what was recorded after this
  // moment is forgotten. False: there is no memory.
  bool write_memory(std::uint64_t address, const void* data, unsigned bytes);
  // The registers of a hart have been written.
  void hart_written(unsigned hart);
  // The board is in another state: the history begins now.
  void restart();

  bool in_past() const { return past_; }
  const Moment& begin() const { return records_.front().at; }
  std::size_t records() const { return records_.size(); }
  std::size_t bytes() const;  // of memory, about

 private:
  struct Record {
    Moment at;
    BoardState board;  // without memory
    std::vector<std::optional<Moment>> newest;
    InputLog::Position input;
    std::uint64_t events = 0;  // that came before
    std::uint64_t instructions = 0;
    PageLog::Pages pages;  // written from here to the next record, as they are here
    std::size_t page_bytes = 0;
  };
  // What came from outside.
  struct Event {
    struct Registers {
      unsigned hart;
      riscv::HartState state;
    };
    Moment at;
    std::optional<unsigned> step;          // of this hart, or
    std::unique_ptr<Registers> registers;  // these, or
    std::uint64_t address = 0;             // memory
    std::string bytes;

    std::size_t size() const {
      return sizeof(Event) + bytes.size() + (registers ? sizeof(Registers) : 0);
    }
  };

  void boundary();
  void add_record();
  void bound();
  void thin();
  void drop_oldest();
  void forget_events_before(std::uint64_t number);
  void note(Event event);
  void forget_future();
  void leave_past();
  // The number of the last record at this moment or before; nothing: there is none.
  std::optional<std::size_t> record_before(const Moment& moment, bool or_at) const;
  void restore(std::size_t record);
  BoardStop repeat(const Moment& until, std::optional<unsigned> hart, bool stops);
  std::optional<BoardStop> repeat_step(bool stops);
  void repeat_writes();
  const Event* next_event() const;
  BoardStop at_begin();
  BoardStop stop_here(BoardStop::Kind kind) const;
  void forget_unreachable();

  Board& board_;
  const sc_core::sc_time limit_;
  const Limits limits_;
  PageLog pages_;
  std::deque<Record> records_;
  std::deque<Event> events_;
  std::uint64_t forgotten_ = 0;  // events before the first one kept
  std::uint64_t next_ = 0;       // event
  std::size_t event_bytes_ = 0;
  Moment end_;                      // of what has been recorded
  bool past_ = false;               // before it
  std::optional<BoardStop> ended_;  // there, by the software
  riscv::Watchpoint met_;
  std::optional<sc_core::sc_time> wanted_;  // a record when a round begins then
};

}  // namespace tern::mgmt

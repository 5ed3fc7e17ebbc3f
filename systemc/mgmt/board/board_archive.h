// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <systemc>
#include <type_traits>
#include <vector>

#include "sw/base/user_error.h"
#include "systemc/mgmt/board/board_state.h"

// The state of a board as bytes: little endian, members in the order below. Each function names the
// members once, for writing and for reading.
namespace tern::mgmt {

class ArchiveWriter {
 public:
  template <typename T>
  void number(T& value) {
    const auto wide = static_cast<std::uint64_t>(value);
    bytes.append(reinterpret_cast<const char*>(&wide), sizeof(T));
  }
  void size(std::size_t value, std::size_t /*most*/) {
    std::uint64_t wide = value;
    number(wide);
  }
  template <typename Vector>
  void resize(Vector& vector, std::size_t most) {
    size(vector.size(), most);
  }
  void text(std::string& value, std::size_t most) {
    size(value.size(), most);
    bytes += value;
  }
  void block(std::vector<std::uint8_t>& value) {
    bytes.append(reinterpret_cast<const char*>(value.data()), value.size());
  }

  std::string bytes;
};

// Of bytes from a file: nothing in them is trusted. Throws UserError.
class ArchiveReader {
 public:
  explicit ArchiveReader(const std::string& bytes) : bytes_(bytes) {}

  template <typename T>
  void number(T& value) {
    std::uint64_t wide = 0;
    std::memcpy(&wide, take(sizeof(T)), sizeof(T));
    if (std::is_same_v<T, bool> && wide > 1) throw UserError("damaged");
    value = static_cast<T>(wide);
  }
  std::size_t size(std::size_t /*value*/, std::size_t most) {
    std::uint64_t wide = 0;
    number(wide);
    if (wide > most || wide > bytes_.size()) throw UserError("damaged");  // a byte each, at least
    return wide;
  }
  template <typename Vector>
  void resize(Vector& vector, std::size_t most) {
    vector.resize(size(0, most));
  }
  void text(std::string& value, std::size_t most) {
    const std::size_t count = size(0, most);
    value.assign(take(count), count);
  }
  void block(std::vector<std::uint8_t>& value) {
    std::memcpy(value.data(), take(value.size()), value.size());
  }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  const char* take(std::size_t count) {
    if (count > bytes_.size() - at_) throw UserError("truncated");
    at_ += count;
    return bytes_.data() + (at_ - count);
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
};

inline constexpr std::size_t kMostInVector = 4096;  // of anything but pages

template <typename Archive, typename... T>
void numbers(Archive& archive, T&... values) {
  (archive.number(values), ...);
}
template <typename Archive>
void visit(Archive& archive, sc_core::sc_time& time) {
  std::uint64_t value = time.value();
  archive.number(value);
  time = sc_core::sc_time::from_value(value);
}
template <typename Archive, typename Values>
void each_number(Archive& archive, Values& values) {
  for (auto& value : values) archive.number(value);
}
template <typename Archive, typename T>
void number_vector(Archive& archive, std::vector<T>& values) {
  archive.resize(values, kMostInVector);
  each_number(archive, values);
}

template <typename Archive>
void visit(Archive& a, riscv::CsrState& s) {
  numbers(a, s.mstatus, s.medeleg, s.mideleg, s.mie, s.mtvec, s.mscratch, s.mepc, s.mcause, s.mtval,
          s.mcounteren, s.mcountinhibit, s.menvcfg, s.stvec, s.sscratch, s.sepc, s.scause, s.stval,
          s.satp, s.scounteren, s.senvcfg, s.fflags, s.frm, s.lines, s.mip, s.cycle_offset,
          s.instret_offset);
  each_number(a, s.pmp_config);
  each_number(a, s.pmp_address);
}

template <typename Archive>
void visit(Archive& a, riscv::HartState& s) {
  each_number(a, s.x);
  each_number(a, s.f);
  numbers(a, s.pc, s.mode, s.cycles, s.retired, s.waiting, s.reserved, s.reservation);
  visit(a, s.csrs);
}

template <typename Archive>
void visit(Archive& a, HartRunner::State& s) {
  visit(a, s.hart);
  numbers(a, s.ahead_fs, s.asleep, s.roused);
  a.resize(s.changes, kMostInVector);
  for (HartRunner::Change& change : s.changes) numbers(a, change.at_fs, change.line, change.level);
}

template <typename Archive>
void visit(Archive& a, UartFifo& s) {
  for (UartFifo::Character& c : s.entries) numbers(a, c.byte, c.errors);
  a.number(s.count);
}

template <typename Archive>
void visit(Archive& a, UartState& s) {
  numbers(a, s.ier, s.lcr, s.mcr, s.scr, s.fifos, s.trigger, s.divisor, s.modem, s.changes,
          s.errors, s.transmit_event, s.timed_out, s.shifting, s.shifted);
  visit(a, s.received);
  visit(a, s.waiting);
  for (sc_core::sc_time* time : {&s.shift_end, &s.timeout, &s.poll}) visit(a, *time);
}

template <typename Archive>
void visit(Archive& a, Plic::State& s) {
  number_vector(a, s.priorities);
  for (Plic::Sources* sources : {&s.inputs, &s.pending, &s.in_service}) number_vector(a, *sources);
  a.resize(s.contexts, kMostInVector);
  for (Plic::Context& context : s.contexts) {
    number_vector(a, context.enabled);
    a.number(context.threshold);
  }
}

template <typename Archive>
void visit(Archive& a, BoardState& s) {
  a.number(s.ram_bytes);
  a.resize(s.harts, kMostInVector);
  for (HartRunner::State& hart : s.harts) visit(a, hart);
  numbers(a, s.finisher.last.kind, s.finisher.last.code);
  visit(a, s.finisher.last.at);
  a.number(s.clint.mtime);
  visit(a, s.clint.in_tick);
  number_vector(a, s.clint.mtimecmp);
  number_vector(a, s.clint.msip);
  visit(a, s.plic);
  visit(a, s.uart);
  a.number(s.rtc.now);
  visit(a, s.rtc.in_ns);
  numbers(a, s.rtc.alarm, s.rtc.high, s.rtc.running, s.rtc.pending, s.rtc.enabled);
  numbers(a, s.turn, s.last_hart, s.round_end_fs, s.reset_pending, s.resets);
  a.resize(s.pages, s.ram_bytes / BoardState::kPageBytes);
  for (BoardState::Page& page : s.pages) {
    page.bytes.resize(BoardState::kPageBytes);
    a.number(page.address);
    a.block(page.bytes);
  }
}

}  // namespace tern::mgmt

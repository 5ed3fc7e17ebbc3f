// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/mgmt/board/archive.h"
#include "systemc/mgmt/board/board_state.h"
#include "systemc/mgmt/board/domain_archive.h"

// The state of a board as bytes.
namespace tern::mgmt {

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
  numbers(a, s.turn, s.last_hart, s.round_end_fs, s.reset_pending, s.reset_cause, s.resets);
  bool has_domain = s.domain.has_value();
  a.number(has_domain);
  if (has_domain && !s.domain) s.domain.emplace();
  if (has_domain) visit(a, *s.domain);
  a.resize(s.pages, s.ram_bytes / BoardState::kPageBytes);
  for (BoardState::Page& page : s.pages) {
    page.bytes.resize(BoardState::kPageBytes);
    a.number(page.address);
    a.block(page.bytes);
  }
}

}  // namespace tern::mgmt

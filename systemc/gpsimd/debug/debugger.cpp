// SPDX-License-Identifier: Apache-2.0
#include "systemc/gpsimd/debug/debugger.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sw/base/stop.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "systemc/riscv/hart.h"

namespace tern::gpsimd {

namespace {

using Kind = gdb::Event::Kind;

constexpr std::uint64_t kSlice = 100'000;  // cycles between two looks at the client

}  // namespace

Debugger::Debugger(std::uint16_t port) : server_(port, *this) {}

Debugger::~Debugger() {
  gdb::Event event;
  event.kind = Kind::kExit;
  event.code = code_;
  server_.end(event);
}

riscv::Hart& Debugger::hart(unsigned) {
  return program_->hart();
}

const riscv::HartConfig& Debugger::hart_config() const {
  return program_->hart_config();
}

bool Debugger::peek(std::uint64_t address, void* data, unsigned bytes) {
  return program_->peek(address, data, bytes);
}

bool Debugger::poke(std::uint64_t address, const void* data, unsigned bytes) {
  return program_->poke(address, data, bytes);
}

std::string Debugger::monitor(const std::string& command) {
  if (command == "help") return "time      cycles of this program on this processor\n";
  if (command == "time")
    return fmt::format("{}: {} cycles\n", hart_name(0), program_->hart().cycles());
  throw UserError(fmt::format("no command {}; monitor help lists them", base::printable(command)));
}

unsigned Debugger::first_thread() const {
  return program_ == nullptr ? 1 : program_->processor() + 1;
}

std::string Debugger::hart_name(unsigned) const {
  return fmt::format("processor {}", program_ == nullptr ? 0 : program_->processor());
}

// A step that has ended the program before stops here.
void Debugger::begin(RunningProgram& program) {
  program_ = &program;
  server_.harts_changed();
  if (!waited_) {
    waited_ = true;
    serve();
  } else if (steps_) {
    gdb::Event event;
    event.kind = Kind::kStep;
    stop(event);
  }
}

riscv::Stop Debugger::run(RunningProgram& program, std::uint64_t cycles) {
  if (program_ == nullptr) begin(program);
  riscv::Hart& hart = program.hart();
  const riscv::Stop why = hart.run(steps_ ? 1 : std::min(cycles, kSlice));
  gdb::Event event;
  switch (why) {
    case riscv::Stop::kBreakpoint:
      event.kind = Kind::kBreakpoint;
      break;
    case riscv::Stop::kWatchpoint:
      event.kind = Kind::kWatchpoint;
      event.watchpoint = hart.met_watchpoint();
      break;
    case riscv::Stop::kBudget:
      if (!steps_ && !server_.wants_stop()) return why;
      event.kind = steps_ ? Kind::kStep : Kind::kRequest;
      break;
    case riscv::Stop::kTrap:
      show_fault();
      return why;
    default:
      return why;
  }
  stop(event);
  return riscv::Stop::kBudget;
}

// At the instruction that did it; then the program ends.
void Debugger::show_fault() {
  riscv::Hart& hart = program_->hart();
  const riscv::HartState state = hart.save();
  riscv::HartState shown = state;
  shown.pc = state.csrs.mepc;
  hart.restore(shown);
  gdb::Event event;
  event.kind = Kind::kFault;
  stop(event);
  hart.restore(state);
}

void Debugger::stop(const gdb::Event& event) {
  server_.report(event);
  serve();
}

void Debugger::serve() {
  steps_ = false;
  const std::optional<gdb::Wish> wish = server_.serve();
  if (!wish) return;  // the host ends the run
  steps_ = wish->kind == gdb::Wish::Kind::kStep;
  if (wish->kind == gdb::Wish::Kind::kKill) base::stop_request() = true;
}

void Debugger::ended(bool fault) {
  code_ = fault ? 1 : 0;
  program_ = nullptr;
}

}  // namespace tern::gpsimd

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "systemc/riscv/hart.h"

namespace tern::gdb {

// What a debugger looks at: harts that share physical memory. All calls come while they stand
// still.
class Target {
 public:
  virtual ~Target() = default;
  virtual unsigned harts() const = 0;
  virtual riscv::Hart& hart(unsigned number) = 0;
  virtual const riscv::HartConfig& hart_config() const = 0;

  // How a debugger's user sees them: hart 0 is this thread, and so on.
  virtual unsigned first_thread() const { return 1; }
  virtual std::string hart_name(unsigned number) const { return "hart " + std::to_string(number); }

  // Physical memory, and device registers without their side effects; false: nothing is there.
  virtual bool peek(std::uint64_t address, void* data, unsigned bytes) = 0;
  // Memory only.
  virtual bool poke(std::uint64_t address, const void* data, unsigned bytes) = 0;
  // By its number (riscv_registers.h); false: it cannot be written so.
  virtual bool write_register(unsigned hart, unsigned number, std::string_view bytes);
  // Whether it takes the wishes kStepBack and kRunBack.
  virtual bool reverses() const { return false; }

  // A command of the user ("monitor ..."); its answer, in lines. Throws UserError.
  virtual std::string monitor(const std::string& command) = 0;
};

// Why the harts stand still.
struct Event {
  enum class Kind : std::uint8_t {
    kRequest,     // the client or somebody else asked for it
    kStep,        // one instruction is done
    kBreakpoint,  // before the instruction at pc
    kWatchpoint,
    kFault,  // at pc: the program cannot go on
    kBegin,  // of what the target remembers
    kExit,   // the software has ended, with `code`
    kEnded,  // somebody ends the target: of signal `code`
  };
  Kind kind = Kind::kRequest;
  unsigned hart = 0;
  riscv::Watchpoint watchpoint;
  std::uint8_t code = 0;
};

// What the client wants.
struct Wish {
  enum class Kind : std::uint8_t {
    kRun,
    kStep,      // one instruction of `hart`, the others stand still
    kStepBack,  // to before the newest instruction of `hart`
    kRunBack,   // to the last breakpoint or watchpoint before now
    kDetach,    // run on without a client
    kKill,      // end
  };
  Kind kind = Kind::kRun;
  unsigned hart = 0;
};

}  // namespace tern::gdb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "systemc/core/program_flow.h"
#include "systemc/core/scalar_registers.h"
#include "systemc/engines/ports/sbuf_access.h"

namespace tern {

// The state that control instructions use: a queue's position in its program, its registers, and
// SBUF. Each leaves the program at the instruction to continue with.
struct ControlUnit {
  ProgramFlow flow;
  ScalarRegisters registers;
  SbufAccess sbuf;
  std::uint64_t sbuf_bytes = 0;  // per partition

  void next() { flow.next(registers); }
};

}  // namespace tern

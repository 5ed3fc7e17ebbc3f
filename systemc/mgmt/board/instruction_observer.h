// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "systemc/riscv/hart.h"

namespace tern::mgmt {

// Sees every instruction of every hart before it is executed, trapped ones too. Harts execute one
// at a time then, which changes nothing but the speed.
class InstructionObserver {
 public:
  virtual ~InstructionObserver() = default;
  // hart.pc() is that of the instruction; at: when it begins.
  virtual void instruction(unsigned number, const riscv::Hart& hart,
                           const sc_core::sc_time& at) = 0;
};

}  // namespace tern::mgmt

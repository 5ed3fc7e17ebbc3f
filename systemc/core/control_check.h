// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/core/field_checker.h"

namespace tern {

// The instructions that a sequencer executes itself, and `extend`.
class ControlChecker : public FieldChecker {
 public:
  using FieldChecker::FieldChecker;

  void extend() const;
  void register_alu() const;
  void register_load() const;
  void register_store() const;
  void branch() const;
  void loop() const;

 private:
  void register_number(std::size_t byte) const;
  void register_memory() const;
};

// extend, register_alu .. loop.
inline bool is_control(unsigned opcode) {
  return opcode >= TERN_OPCODE_EXTEND && opcode <= TERN_OPCODE_LOOP;
}

}  // namespace tern

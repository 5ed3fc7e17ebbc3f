// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "systemc/core/instruction_check.h"

namespace tern {

// What the checks of all instructions share. Throws the fault it finds; check_instruction() turns
// that into a value.
class FieldChecker {
 public:
  FieldChecker(const tern_instruction_t& instruction, const CoreLimits& limits)
      : in_(instruction), limits_(limits) {}

 protected:
  [[noreturn]] static void fail(unsigned code, std::size_t byte) {
    throw InstructionFault{code, static_cast<std::uint32_t>(byte)};
  }
  static void require(bool condition, unsigned code, std::size_t byte) {
    if (!condition) fail(code, byte);
  }
  static void field(bool condition, std::size_t byte) {
    require(condition, TERN_ERROR_ILLEGAL_FIELD, byte);
  }

  void zeros(std::size_t from, std::size_t to) const {
    for (std::size_t byte = from; byte < to; ++byte) field(in_.bytes[byte] == 0, byte);
  }
  void zeros_from(std::size_t from) const { zeros(from, sizeof in_.bytes); }

  // Elements of `element` bytes on `partitions` partitions, all inside their memory.
  void pattern(const tern_ap_t& raw, std::size_t byte, std::size_t element,
               unsigned partitions) const;

  const tern_instruction_t& in_;
  const CoreLimits& limits_;
};

}  // namespace tern

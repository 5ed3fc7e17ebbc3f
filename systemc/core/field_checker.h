// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sw/spec/access_pattern.h"
#include "systemc/core/instruction_check.h"

namespace tern {

// What the checks of all instructions share. Throws the fault it finds; check_instruction() turns
// that into a value.
class FieldChecker {
 public:
  FieldChecker(const Operation& operation, const CoreLimits& limits)
      : in_(operation.instruction), extension_(operation.extension), limits_(limits) {}

  // The extension is not used; its registers are the sequencer's.
  void no_extension() const {
    extension_zeros(offsetof(tern_instr_extend_t, dst_outer),
                    offsetof(tern_instr_extend_t, dst_reg));
  }

 protected:
  // Where the bytes of the extension begin in a fault's detail.
  static constexpr std::size_t kExtensionByte = sizeof(tern_instruction_t);

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

  void extension_zeros(std::size_t from, std::size_t to) const {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&extension_);
    for (std::size_t byte = from; byte < to; ++byte) field(bytes[byte] == 0, kExtensionByte + byte);
  }

  // Elements of `element` bytes on `partitions` partitions, all inside their memory.
  void pattern(const AccessPattern& ap, std::size_t byte, std::size_t element,
               unsigned partitions) const;
  void pattern(const tern_ap_t& raw, std::size_t byte, std::size_t element,
               unsigned partitions) const {
    pattern(AccessPattern(raw), byte, element, partitions);
  }

  const tern_instruction_t& in_;
  const tern_instr_extend_t& extension_;
  const CoreLimits& limits_;
};

}  // namespace tern

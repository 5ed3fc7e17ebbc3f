// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sw/spec/access_pattern.h"
#include "systemc/engines/instruction/instruction_fault.h"
#include "systemc/engines/instruction/instruction_row.h"

namespace tern {

// The common parts of the checks of all instructions. Each function throws the InstructionFault it
// finds.
class FieldChecker {
 public:
  // Offset of the extension's bytes in a fault's detail.
  static constexpr std::size_t kExtensionByte = sizeof(tern_instruction_t);

  explicit FieldChecker(const CheckInput& input) : input_(input) {}

  const tern_instruction_t& instruction() const { return input_.operation.instruction; }
  const tern_instr_extend_t& extension() const { return input_.operation.extension; }
  unsigned queue() const { return input_.queue; }
  const CoreLimits& limits() const { return input_.limits; }

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
    for (std::size_t byte = from; byte < to; ++byte) field(instruction().bytes[byte] == 0, byte);
  }
  void zeros_from(std::size_t from) const { zeros(from, sizeof instruction().bytes); }

  void extension_zeros(std::size_t from, std::size_t to) const {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&extension());
    for (std::size_t byte = from; byte < to; ++byte) field(bytes[byte] == 0, kExtensionByte + byte);
  }
  // The extension is not used; its registers are left to the sequencer.
  void no_extension() const {
    extension_zeros(offsetof(tern_instr_extend_t, dst_outer),
                    offsetof(tern_instr_extend_t, dst_reg));
  }

  // Elements of `element` bytes on `partitions` partitions, all inside their memory.
  void pattern(const AccessPattern& ap, std::size_t byte, std::size_t element,
               unsigned partitions) const;
  void pattern(const tern_ap_t& raw, std::size_t byte, std::size_t element,
               unsigned partitions) const {
    pattern(AccessPattern(raw), byte, element, partitions);
  }

 private:
  const CheckInput& input_;
};

}  // namespace tern

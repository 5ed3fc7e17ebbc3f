// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/merge_extension.h"

#include <array>
#include <cstddef>

#include "systemc/engines/instruction/instruction_set.h"

namespace tern {

namespace {

using Extend = tern_instr_extend_t;

constexpr std::uint32_t kByteMask = 0xFFFFFF;  // of an address: the byte inside its partition
constexpr std::size_t kExtensionByte = sizeof(tern_instruction_t);

// The fields of an instruction that registers change; null where it has no such field.
struct Operands {
  std::array<std::uint32_t*, 3> address{};  // dst, src0, src1
  std::array<std::uint16_t*, 3> num0{};
};

Operands operands_of(tern_instruction_t& in) {
  const auto patterns = [](tern_ap_t* dst, tern_ap_t* src0, tern_ap_t* src1) {
    Operands operands;
    const std::array<tern_ap_t*, 3> all{dst, src0, src1};
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] == nullptr) continue;
      operands.address[i] = &all[i]->addr;
      operands.num0[i] = &all[i]->num0;
    }
    return operands;
  };
  const InstructionSpec& spec = instruction_spec(in.header.opcode);
  // An unknown opcode counts as elementwise: the checks refuse it.
  switch (spec.name == nullptr ? InstructionBody::elementwise : spec.body) {
    case InstructionBody::load_stationary:
      return patterns(nullptr, &in.load_stationary.src, nullptr);
    case InstructionBody::multiply_moving:
      return patterns(&in.multiply_moving.dst, &in.multiply_moving.src, nullptr);
    case InstructionBody::transpose:
      return patterns(&in.transpose.dst, &in.transpose.src, nullptr);
    case InstructionBody::elementwise:
      return patterns(&in.elementwise.dst, &in.elementwise.src0, &in.elementwise.src1);
    case InstructionBody::shuffle:
      return {{&in.shuffle.dst, &in.shuffle.src, nullptr}, {&in.shuffle.num, nullptr, nullptr}};
    case InstructionBody::affine:
      return patterns(&in.affine.dst, &in.affine.src, nullptr);
    case InstructionBody::dma_indirect:
      return {{&in.dma_indirect.tile, nullptr, &in.dma_indirect.index}, {}};
    default:  // system addresses of dma_copy: move_addresses()
      return {};
  }
}

std::uint32_t byte_in(const tern_instruction_t& in, const void* field) {
  return static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(field) - in.bytes);
}

InstructionFault illegal(std::size_t byte) {
  return {TERN_ERROR_ILLEGAL_FIELD, static_cast<std::uint32_t>(byte)};
}

// Registers add signed distances to the system addresses of dma_copy; the engines check the result.
void move_addresses(Operation& operation, const ScalarRegisters& registers) {
  tern_instr_dma_copy_t& in = operation.instruction.dma_copy;
  Extend& extension = operation.extension;
  const auto move = [&](std::uint8_t* reg, std::uint32_t* low, std::uint32_t* high) {
    if (*reg == 0) return;
    const std::uint64_t address =
        (std::uint64_t{*high} << 32 | *low) +
        static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(registers[*reg])});
    *low = static_cast<std::uint32_t>(address);
    *high = static_cast<std::uint32_t>(address >> 32);
    *reg = 0;
    operation.dynamic_address = true;
  };
  move(&extension.dst_reg, &in.dst_lo, &in.dst_hi);
  move(&extension.src0_reg, &in.src_lo, &in.src_hi);
}

}  // namespace

std::optional<InstructionFault> resolve_registers(Operation& operation,
                                                  const ScalarRegisters& registers) {
  tern_instruction_t& in = operation.instruction;
  Extend& extension = operation.extension;
  const Operands operands = operands_of(in);
  if (operation.opcode() == TERN_OPCODE_DMA_COPY) move_addresses(operation, registers);

  const std::array<std::uint8_t, 3> added{extension.dst_reg, extension.src0_reg,
                                          extension.src1_reg};
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (added[i] == 0) continue;
    std::uint32_t* address = operands.address[i];
    if (address == nullptr) return illegal(kExtensionByte + offsetof(Extend, dst_reg) + i);
    // A register holds a signed distance: loops also count downwards.
    const std::int64_t byte =
        std::int64_t{*address & kByteMask} + static_cast<std::int32_t>(registers[added[i]]);
    if (byte < 0 || byte > kByteMask) {
      return InstructionFault{TERN_ERROR_BAD_ACCESS_PATTERN, byte_in(in, address)};
    }
    operation.dynamic_address = true;
    *address = (*address & ~kByteMask) | static_cast<std::uint32_t>(byte);
  }

  if (extension.num_reg != 0) {
    const std::uint32_t length = registers[extension.num_reg];
    bool used = false;
    for (std::uint16_t* num0 : operands.num0) {
      if (num0 == nullptr || *num0 <= 1) continue;
      if (length == 0 || length > UINT16_MAX)
        return InstructionFault{TERN_ERROR_BAD_ACCESS_PATTERN, byte_in(in, num0)};
      *num0 = static_cast<std::uint16_t>(length);
      used = true;
    }
    if (!used) return illegal(kExtensionByte + offsetof(Extend, num_reg));
  }

  in.header.wait_value += registers[extension.wait_reg];
  extension.header = {};
  extension.dst_reg = extension.src0_reg = extension.src1_reg = 0;
  extension.wait_reg = extension.num_reg = 0;
  return std::nullopt;
}

}  // namespace tern

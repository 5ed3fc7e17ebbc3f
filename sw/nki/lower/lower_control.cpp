// SPDX-License-Identifier: Apache-2.0
// Registers and loops. A register of the kernel has the same number on every queue that uses it,
// and each of them computes it.
#include <algorithm>
#include <string_view>

#include "sw/nki/lower/chip_views.h"
#include "sw/nki/lower/lowering.h"
#include "sw/nki/trace/nki_error.h"
#include "sw/spec/generated/isa.h"

namespace tern::nki {

namespace {

constexpr unsigned kAll = kernels::KernelBuilder::kAllQueues;

unsigned bit(unsigned queue) {
  return 1u << queue;
}

}  // namespace

unsigned Lowering::queue_of(const Instruction& instruction) {
  if (instruction.signature->engines != kOnDma) {
    return static_cast<unsigned>(*instruction.options.engine);
  }
  return instruction.at("dst").storage().on_chip() ? TERN_QUEUE_SYNC : TERN_QUEUE_SCALAR;
}

void Lowering::find_queues() {
  std::uint32_t most = 0;
  for (const Instruction& instruction : kernel_.instructions) {
    const Options& options = instruction.options;
    most = std::max({most, options.reg_dst, options.reg_a, options.reg_b});
    if (most > kernels::KernelBuilder::kRegisters) {
      throw NkiError("more than " + std::to_string(kernels::KernelBuilder::kRegisters) +
                         " registers in a kernel",
                     instruction.site, NkiError::Kind::kNotSupported);
    }
  }
  queues_.assign(most + 1, 0);
  for (const Instruction& instruction : kernel_.instructions) {
    const std::string_view name = instruction.signature->name;
    const Options& options = instruction.options;
    if (name == "loop_begin" || name == "loop_end") {
      for (const std::uint32_t reg : {options.reg_dst, options.reg_a, options.reg_b}) {
        queues_[reg] = kAll;
      }
    }
    if (name == "register_store") queues_[options.reg_a] |= bit(TERN_QUEUE_SYNC);
    for (const Operand& operand : instruction.operands) {
      const View::Moved* moved = operand.view.moved();
      if (moved != nullptr && moved->reg != 0) queues_[moved->reg] |= bit(queue_of(instruction));
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction& instruction : kernel_.instructions) {
      if (std::string_view(instruction.signature->name) != "register_move") continue;
      const Options& options = instruction.options;
      const unsigned wanted = queues_[options.reg_a] | queues_[options.reg_dst];
      changed = changed || wanted != queues_[options.reg_a];
      queues_[options.reg_a] = wanted;
    }
  }
}

std::optional<kernels::DynamicOffset> Lowering::offset(const View& view) const {
  const View::Moved* moved = view.moved();
  if (moved == nullptr) return std::nullopt;
  kernels::DynamicOffset result;
  if (moved->reg != 0) {
    result.reg = moved->reg;
  } else {
    result.word = tile_view(*moved->word);
  }
  result.bytes = static_cast<std::int32_t>(moved->step);
  const auto [lowest, highest] = view.moved_range();
  result.lowest = static_cast<std::int32_t>(std::max<std::int64_t>(lowest, INT32_MIN));
  result.count =
      static_cast<std::uint32_t>(std::min<std::int64_t>(highest - result.lowest + 1, UINT32_MAX));
  result.what = "Out-of-bound access for tensor `" + view.storage().name +
                nki::shape_text(view.storage().shape) + "`: its offset is not in [" +
                std::to_string(lowest) + ", " + std::to_string(highest) + "]";
  return result;
}

Instruction Lowering::with_registers(const Instruction& instruction) {
  Instruction result = instruction;
  unsigned used = 0;
  for (Operand& operand : result.operands) {
    const auto found = offset(operand.view);
    if (!found) continue;
    if (used == kernels::KernelBuilder::kMostOffsets) {
      throw NkiError("more than three operands that offsets move", instruction.site,
                     NkiError::Kind::kNotSupported);
    }
    const unsigned reg = kernels::KernelBuilder::kOffsets + used++;
    builder_.load_offset(queue_of(instruction), reg, *found, where_);
    operand.view = operand.view.with_operand_register(static_cast<std::uint8_t>(reg));
  }
  return result;
}

void Lowering::register_move(const Instruction& instruction) {
  const Options& options = instruction.options;
  builder_.register_alu(queues_[options.reg_dst], TERN_REGISTER_OP_MOVE, options.reg_dst, 0,
                        options.reg_a, static_cast<std::uint32_t>(options.value), where_);
}

void Lowering::register_load(const Instruction& instruction) {
  const std::uint32_t reg = instruction.options.reg_dst;
  builder_.register_load(queues_[reg], reg, tile_view(instruction.at("src")), where_);
}

void Lowering::register_store(const Instruction& instruction) {
  builder_.register_store(tile_view(instruction.at("dst")), instruction.options.reg_a, where_);
}

void Lowering::loop_begin(const Instruction& instruction) {
  const Options& options = instruction.options;
  builder_.begin_repeat(options.until_zero ? TERN_BRANCH_COND_EQ : TERN_BRANCH_COND_GE,
                        options.reg_a, options.reg_b, static_cast<std::uint32_t>(options.value),
                        where_);
}

void Lowering::loop_end(const Instruction& instruction) {
  builder_.end_repeat(instruction.options.reg_dst,
                      static_cast<std::int32_t>(instruction.options.value), where_);
}

}  // namespace tern::nki

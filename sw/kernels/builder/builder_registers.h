// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/kernels/builder/builder_core.h"
#include "sw/kernels/builder/program/instruction_options.h"
#include "sw/spec/queues.h"

namespace tern::kernels {

// Registers of the queues, and addresses that come from them.
class RegisterCalls : public BuilderCore {
 public:
  using BuilderCore::BuilderCore;

  // Registers 1 .. kRegisters of the queues in `queues` (bit q: queue q), which compute the same.
  // dst = a op (b + value), TERN_REGISTER_OP_*; a register without a number is zero. All: but the
  // collective cores.
  static constexpr unsigned kRegisters = 56, kAllQueues = (1u << kEngineQueues) - 1;
  void register_alu(unsigned queues, unsigned op, unsigned dst, unsigned a, unsigned b,
                    std::uint32_t value, SourceLine where = SourceLine::here());
  // A register = a word [1, 1] in SBUF, and the word = the register as Sync has it.
  void register_load(unsigned queues, unsigned dst, const TileView& word,
                     SourceLine where = SourceLine::here());
  void register_store(const TileView& word, unsigned reg, SourceLine where = SourceLine::here());
  // A register of a queue, from kOffsets on, = an offset in bytes, for TileView::moved_by.
  static constexpr unsigned kOffsets = 61, kMostOffsets = 3;
  void load_offset(unsigned queue, unsigned reg, const DynamicOffset& offset,
                   SourceLine where = SourceLine::here());

 protected:
  void load_offset(unsigned queue, unsigned reg, const DynamicOffset& offset, const char* name,
                   SourceLine where);
  // A program that gets here with the register elsewhere stops.
  void check_offset(unsigned queue, unsigned reg, const DynamicOffset& offset, const char* name,
                    SourceLine where);
};

}  // namespace tern::kernels

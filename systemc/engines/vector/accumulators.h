// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "sw/base/state_archive.h"
#include "sw/spec/generated/address_map.h"
#include "systemc/engines/ports/operation.h"
#include "systemc/engines/vector/operand.h"

namespace tern {

// The accumulators of the Vector or the Scalar engine: one FP32 per partition of the destination,
// shared by all instructions of the engine. begin() and finish() carry out reduce_cmd before and
// after the rows of an instruction.
class Accumulators {
 public:
  // May wait for PSUM (load_reduce).
  void begin(const EngineMemory& memory, const tern_instr_extend_t& extension,
             unsigned first_partition, unsigned partitions);

  // Whether the instruction reduces, and with which operation.
  bool reduces() const { return reduces_; }
  unsigned op() const { return op_; }

  // Takes a row of results, before their conversion: a chain in element order.
  void add_row(unsigned lane, const float* results, std::size_t count);
  // For units with their own order.
  float& at(unsigned lane) { return values_[first_ + lane]; }

  // Whether finish() will write to PSUM.
  static bool stores_to_psum(const tern_instr_extend_t& extension);
  // Writes the accumulators to the reduce column if flag bit 2 is set; may wait for PSUM.
  void finish(const EngineMemory& memory, const tern_instr_extend_t& extension);
  // For a snapshot, between instructions.
  void archive_state(base::StateArchive& archive) { archive.each(values_); }

 private:
  std::array<float, TERN_CORE_SBUF_COUNT> values_{};
  unsigned first_ = 0, partitions_ = 0, op_ = 0;
  bool reduces_ = false;
};

// The value that `reset` gives the accumulators.
float neutral_element(unsigned op);

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/config/chip_config.h"
#include "systemc/engines/ports/operation.h"

namespace tern {

// The inputs of an instruction's interval, in addition to the instruction.
struct IntervalRules {
  unsigned min_interval = 64;      // MIN_II
  bool scalar_double_rate = true;  // ScalarFeatures::double_rate
  unsigned exp_per_cycle = 4;      // of the exponential instruction, not 0
  VectorFeatures vector;           // of the chip
  bool shared_bus = true;          // Vector uses GpSimd's path to SBUF: performance modes
  unsigned overhead = 0;           // of each interval, besides the cycles of its elements
};

// Cycles of its engine's clock for which an instruction of the Vector, Scalar, GpSimd or Sync queue
// occupies the engine: the formulas of systemc/engines/README.md. `queue` matters where two engines
// share an opcode.
unsigned instruction_interval(const Operation& operation, unsigned queue,
                              const IntervalRules& rules);

// Elements per cycle and partition of a Vector instruction: 2 or 4 in the performance modes of
// tensor_copy, tensor_scalar and tensor_tensor, in which Vector borrows GpSimd's path to SBUF.
unsigned performance_mode(const Operation& operation, unsigned queue, const IntervalRules& rules);

// Whether the body of an instruction is that of `elementwise`: three access patterns.
bool has_access_patterns(unsigned opcode);

}  // namespace tern

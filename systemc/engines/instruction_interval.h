// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/engines/operation.h"

namespace tern {

// Cycles of its engine's clock for which an instruction of the Vector, Scalar, GpSimd or Sync queue
// occupies the engine: the formulas of systemc/engines/README.md. `queue` matters where two engines
// share an opcode; exp_per_cycle is the rate of the exponential instruction, not 0.
unsigned instruction_interval(const Operation& operation, unsigned queue, unsigned min_interval,
                              unsigned exp_per_cycle = 4);

}  // namespace tern

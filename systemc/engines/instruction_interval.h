// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/spec/generated/isa.h"

namespace tern {

// Cycles of its engine's clock for which an instruction of the Vector, Scalar, GpSimd or Sync queue
// occupies the engine: the formulas of systemc/engines/README.md. `queue` matters where two engines
// share an opcode.
unsigned instruction_interval(const tern_instruction_t& instruction, unsigned queue,
                              unsigned min_interval);

}  // namespace tern

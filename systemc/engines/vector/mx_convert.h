// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/spec/generated/isa.h"
#include "systemc/engines/vector/engine_unit.h"

namespace tern {

// quantize_mx and dequantize_mx of the Vector engine, on instructions that have passed
// check_instruction(). All sources are read before anything is written; scales are written last.
void quantize_mx(EngineUnit& unit, const tern_instr_elementwise_t& instruction);
void dequantize_mx(EngineUnit& unit, const tern_instr_elementwise_t& instruction);

}  // namespace tern

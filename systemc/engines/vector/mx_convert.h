// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/spec/generated/isa.h"
#include "systemc/engines/ports/sbuf_access.h"

namespace tern {

// quantize_mx and dequantize_mx of the Vector engine, on instructions that have passed
// check_instruction(). All sources are read before anything is written; scales are written last.
void quantize_mx(const tern_instr_elementwise_t& instruction, const SbufAccess& sbuf);
void dequantize_mx(const tern_instr_elementwise_t& instruction, const SbufAccess& sbuf);

}  // namespace tern

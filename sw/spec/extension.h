// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/spec/generated/isa.h"

namespace tern {

// Bits of tern_instr_extend_t::flags.
constexpr unsigned kExtendScalar0 = 1u << 0;     // scalar0 is the address of a column
constexpr unsigned kExtendScalar1 = 1u << 1;     // scalar1 is the address of a column
constexpr unsigned kExtendReduce = 1u << 2;      // the accumulators go to the reduce column
constexpr unsigned kExtendReverse0 = 1u << 3;    // op0 takes its operands in reverse order
constexpr unsigned kExtendReverse1 = 1u << 4;    // op1 does
constexpr unsigned kExtendStochastic = 1u << 5;  // the result is rounded stochastically
constexpr unsigned kExtendFlags = (1u << 6) - 1;

}  // namespace tern

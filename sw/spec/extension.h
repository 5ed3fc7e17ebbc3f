// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/spec/generated/isa.h"

namespace tern {

// Bits of tern_instr_extend_t::flags (extend_flag of docs/spec/isa.yaml).
constexpr unsigned kExtendScalar0 = TERN_EXTEND_FLAG_SCALAR0;
constexpr unsigned kExtendScalar1 = TERN_EXTEND_FLAG_SCALAR1;
constexpr unsigned kExtendReduce = TERN_EXTEND_FLAG_REDUCE;
constexpr unsigned kExtendReverse0 = TERN_EXTEND_FLAG_REVERSE0;
constexpr unsigned kExtendReverse1 = TERN_EXTEND_FLAG_REVERSE1;
constexpr unsigned kExtendStochastic = TERN_EXTEND_FLAG_STOCHASTIC;
constexpr unsigned kExtendFlags = (1u << TERN_EXTEND_FLAG_COUNT) - 1;

}  // namespace tern

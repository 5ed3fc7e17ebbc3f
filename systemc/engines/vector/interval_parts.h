// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/base/math.h"
#include "systemc/engines/ports/operation.h"
#include "systemc/engines/vector/instruction_interval.h"

// The common parts of the costs of instructions: systemc/engines/README.md, "Interval".
namespace tern {

constexpr std::uint64_t kGpsimdStart = 150;  // of an instruction of GpSimd

bool is_16_bit_float(unsigned dtype);  // BF16, FP16

// Per partition.
std::uint64_t source_elements(const Operation& operation);  // of src0
std::uint64_t result_elements(const Operation& operation);

// Partitions that one core of GpSimd processes in sequence.
unsigned serial_partitions(const Operation& operation);

// One element of src0 per cycle.
std::uint64_t source_cycles(const Operation& operation, unsigned queue, const IntervalRules& rules);

// Two tiles share one path to SBUF unless one is in PSUM, the other in SBUF.
std::uint64_t two_tile_cycles(const Operation& operation, bool fast);

// tensor_copy and tensor_scalar: elements per cycle on the Vector engine, cycles on any.
unsigned copy_mode(const Operation& operation, const IntervalRules& rules);
std::uint64_t copy_cycles(const Operation& operation, unsigned queue, const IntervalRules& rules);

}  // namespace tern

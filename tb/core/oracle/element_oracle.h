// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "sw/spec/generated/formats.h"
#include "sw/spec/generated/isa.h"

// Element formats and operators a second time, written from docs/numerics.md: computed in double
// and rounded once. For add, subtract, multiply and divide of FP32 operands that is the correctly
// rounded FP32 result (53 >= 2 * 24 + 2).
namespace tern::tb {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

constexpr unsigned kTypes[] = {TERN_DTYPE_INT8,   TERN_DTYPE_UINT8,  TERN_DTYPE_INT16,
                               TERN_DTYPE_UINT16, TERN_DTYPE_BF16,   TERN_DTYPE_FP16,
                               TERN_DTYPE_INT32,  TERN_DTYPE_UINT32, TERN_DTYPE_FP32,
                               TERN_DTYPE_E4M3,   TERN_DTYPE_E5M2,   TERN_DTYPE_E4M3FN};

std::uint32_t bits(float f);
float from_bits(std::uint32_t b);
std::size_t size_of(unsigned dtype);

// The raw element for a value that the format holds exactly, and back.
std::uint32_t encode(unsigned dtype, double value);
double decode(unsigned dtype, std::uint32_t raw);
// FP32 result to the raw destination element.
std::uint32_t convert(unsigned dtype, float value);

// Any alu_op but the bit operations and power.
float alu(unsigned op, float a, float b);

// Values that matter, then random ones; all exact in the format.
std::vector<double> samples(unsigned dtype, std::size_t count, std::mt19937_64& random);

}  // namespace tern::tb

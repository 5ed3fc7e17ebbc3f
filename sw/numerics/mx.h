// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sw/numerics/fp8.h"
#include "sw/numerics/instruction_codes.h"

// Block formats: docs/numerics.md, section 5. All functions work on integers, independent of the
// host's floating-point modes.
namespace tern::numerics {

// A scale block: 8 consecutive partitions by the four elements of one x4 column.
constexpr unsigned kMxBlockRows = 8;
constexpr unsigned kMxSlots = 4;
constexpr unsigned kMxBlockElements = kMxBlockRows * kMxSlots;

// Of a finite value that is not zero.
int floor_log2(float value);

// E8M0 scale of a block of `count` values: 0 if all are zero, 0xFF if one is NaN or infinite.
std::uint8_t mx_scale(const SmallFormat& format, MxRule rule, const float* values,
                      std::size_t count);

// The code of value / scale: one rounding, saturating; a zero with the value's sign if the scale is
// NaN.
std::uint8_t mx_element(const SmallFormat& format, float value, std::uint8_t scale);

// A whole block: codes[i] of values[i]; returns the scale.
std::uint8_t mx_quantize(const SmallFormat& format, MxRule rule, const float* values,
                         std::size_t count, std::uint8_t* codes);

// element * scale with one rounding to FP32 or to BF16, NaN canonical. The element is a decoded one
// (fp8.h).
float mx_dequantize(float element, std::uint8_t scale);
std::uint16_t mx_dequantize_bf16(float element, std::uint8_t scale);

// Four E2M1 elements (slot q in bits 4q+3..4q) as E4M3FN bytes of the same values (slot q in byte
// q).
std::uint32_t mx_expand(std::uint16_t e2m1_x4);

// NVFP4, a storage format: an E2M1 element, the E4M3FN scale of its 16, the tensor's FP32 factor.
// element * scale is exact; the product with the factor is rounded once, to BF16.
std::uint16_t nvfp4_dequantize(std::uint8_t e2m1, std::uint8_t e4m3fn_scale, float factor);

}  // namespace tern::numerics

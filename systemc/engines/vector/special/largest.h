// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/numerics/float_bits.h"
#include "sw/spec/generated/isa.h"

// Searching a partition's row: max8, find_index8, match_replace8 (Vector) and topk (GpSimd).
// Order: NaN above everything, +0 above -0. Equality: as IEEE 754, and NaN equals NaN, so that what
// max8 finds can be found and replaced.
namespace tern {

constexpr std::size_t kSearched = 8;  // values found or sought by one instruction

constexpr std::size_t kSearchElementsMin = TERN_LIMIT_SEARCH_FOUND;  // of the row
constexpr std::size_t kSearchElementsMax = TERN_LIMIT_SEARCH_ELEMENTS;

constexpr std::uint32_t kNotFound = 0xFFFFFFFF;

// Integers in the order of the values.
inline std::int32_t order_key(float value) {
  const std::uint32_t bits = numerics::bits_of(value);
  if (numerics::is_nan_bits(bits)) return INT32_MAX;
  return static_cast<std::int32_t>((bits >> 31) != 0 ? bits ^ 0x7FFFFFFF : bits);
}

// The eight largest of count >= 8 values, descending.
void largest8(const float* values, std::size_t count, float* results);

// For each of the eight sought values the index of its first match; the second of equal sought
// values gets the second match, and so on. kNotFound if there is none (left).
void find_index8(const float* values, std::size_t count, const float* sought,
                 std::uint32_t* indices);

// The sought values in sequence: the first match of each in the row, as modified so far, becomes
// `replacement`.
void match_replace8(float* values, std::size_t count, const float* sought, float replacement);

// Indices of the k largest of `count` values, ascending by value; among equal values the lower
// index counts as the larger. k <= count.
std::vector<std::uint32_t> largest_ascending(const float* values, std::size_t count, std::size_t k);

}  // namespace tern

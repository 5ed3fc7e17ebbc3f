// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Positions in a row: nonzero_with_count and sequence_bounds of GpSimd.
namespace tern {

// indices[0 .. count]: offset + i of every value that is neither +0 nor -0 (NaN counts), then
// padding. The last element, indices[count], is the number of such values.
void nonzero_with_count(const float* values, std::size_t count, std::int32_t offset,
                        std::int32_t padding, std::int32_t* indices);

// For each element of a row of segment ids the first index of its run of equal ids, starts[i], and
// the index after the last one, ends[i]. Id 0 is padding: count and -1. Ids are exact in double;
// NaN equals nothing.
void sequence_bounds(const double* ids, std::size_t count, std::int32_t* starts,
                     std::int32_t* ends);

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/special/segments.h"

#include <algorithm>

namespace tern {

void nonzero_with_count(const float* values, std::size_t count, std::int32_t offset,
                        std::int32_t padding, std::int32_t* indices) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (values[i] != 0.0f) {
      indices[found++] = static_cast<std::int32_t>(static_cast<std::uint32_t>(offset) +
                                                   static_cast<std::uint32_t>(i));
    }
  }
  std::fill(indices + found, indices + count, padding);
  indices[count] = static_cast<std::int32_t>(found);
}

void sequence_bounds(const double* ids, std::size_t count, std::int32_t* starts,
                     std::int32_t* ends) {
  for (std::size_t first = 0, end = 0; first < count; first = end) {
    for (end = first + 1; end < count && ids[end] == ids[first];) ++end;
    const bool padding = ids[first] == 0.0;
    std::fill(starts + first, starts + end, static_cast<std::int32_t>(padding ? count : first));
    std::fill(ends + first, ends + end, padding ? -1 : static_cast<std::int32_t>(end));
  }
}

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/special/gather.h"

#include <cstring>

namespace tern {

std::optional<std::size_t> gather_elements(const std::uint8_t* row, std::size_t row_elements,
                                           std::size_t size,
                                           const std::vector<std::uint32_t>& indices,
                                           std::size_t elements, std::uint8_t* result) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] + elements > row_elements) return i;
    std::memcpy(result, row + indices[i] * size, elements * size);
    result += elements * size;
  }
  return std::nullopt;
}

}  // namespace tern

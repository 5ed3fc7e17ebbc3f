// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace tern::kernels {

// Consecutive ranges of [0, total), each `length` long except the last.
template <typename Visit>
void for_blocks(std::uint64_t total, std::uint64_t length, Visit visit) {
  for (std::uint64_t first = 0; first < total; first += length)
    visit(first, static_cast<std::uint32_t>(std::min(length, total - first)));
}

constexpr std::uint64_t blocks_of(std::uint64_t total, std::uint64_t length) {
  return (total + length - 1) / length;
}

}  // namespace tern::kernels

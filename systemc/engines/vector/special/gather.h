// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

// Gathers of GpSimd on the bits of elements.
namespace tern {

constexpr unsigned kCorePartitions = 16;  // of one GpSimd core

// The list that the partitions of a core hold jointly: item i is in partition i mod 16, column i
// div 16.
struct CoreOrder {
  static unsigned partition(std::size_t item) { return item % kCorePartitions; }
  static std::size_t column(std::size_t item) { return item / kCorePartitions; }
  static std::size_t columns(std::size_t items) {
    return (items + kCorePartitions - 1) / kCorePartitions;
  }
};

// Copies `elements` contiguous elements of `size` bytes from every index of a row of `row_elements`
// to consecutive positions of the result. If the elements of an index would leave the row, its
// position in the list is returned, and neither it nor a later one is copied.
std::optional<std::size_t> gather_elements(const std::uint8_t* row, std::size_t row_elements,
                                           std::size_t size,
                                           const std::vector<std::uint32_t>& indices,
                                           std::size_t elements, std::uint8_t* result);

}  // namespace tern

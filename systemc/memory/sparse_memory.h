// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/base/math.h"
#include "sw/base/state_archive.h"
#include "sw/base/zeroed_array.h"

namespace tern {

// A memory of any size that holds only the pages that have been written; the rest reads as zero.
class SparseMemory {
 public:
  static constexpr std::size_t kPageBytes = 256 * 1024;

  explicit SparseMemory(std::uint64_t size) : size_(size), pages_(ceil_div(size, kPageBytes)) {}
  ~SparseMemory() { clear(); }
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;

  std::uint64_t size() const { return size_; }
  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return address <= size_ && bytes <= size_ - address;
  }
  // The range must be inside: contains().
  void read(std::uint64_t address, void* data, std::size_t bytes) const;
  void write(std::uint64_t address, const void* data, std::size_t bytes);

  std::uint64_t allocated_bytes() const { return allocated_.size() * kPageBytes; }
  // Numbers of the pages that exist, in the order of their first writes.
  const std::vector<std::uint32_t>& allocated_pages() const { return allocated_; }

  // For a snapshot: the pages that exist, in their order. What is zero in them takes no space.
  void archive_state(base::StateArchive& archive);

 private:
  std::uint8_t* page_for_write(std::uint64_t number);
  void clear();

  std::uint64_t size_;
  ZeroedArray<std::uint8_t*> pages_;  // by page number, its own; null: not written
  std::vector<std::uint32_t> allocated_;
};

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace tern {

// A memory of any size that holds only the pages somebody has written; the rest reads as zero.
class SparseMemory {
 public:
  static constexpr std::size_t kPageBytes = 256 * 1024;

  explicit SparseMemory(std::uint64_t size) : size_(size) {}

  std::uint64_t size() const { return size_; }
  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return address <= size_ && bytes <= size_ - address;
  }
  // The range must be inside: contains().
  void read(std::uint64_t address, void* data, std::size_t bytes) const;
  void write(std::uint64_t address, const void* data, std::size_t bytes);

  std::uint64_t allocated_bytes() const { return pages_.size() * kPageBytes; }

 private:
  using Page = std::unique_ptr<std::uint8_t[]>;

  std::uint64_t size_;
  std::unordered_map<std::uint64_t, Page> pages_;  // by page number
};

}  // namespace tern

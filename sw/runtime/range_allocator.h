// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace tern {

// First-fit allocator of a byte range; adjacent free ranges merge.
class RangeAllocator {
 public:
  RangeAllocator(std::uint64_t base, std::uint64_t bytes, std::uint64_t alignment);

  std::optional<std::uint64_t> allocate(std::uint64_t bytes);
  // The range at `address`, a multiple of the alignment; false if it is not free.
  bool allocate_at(std::uint64_t address, std::uint64_t bytes);
  // `address` must come from an allocation; returns false if it is not in use.
  bool free(std::uint64_t address);

  std::uint64_t total() const { return total_; }
  std::uint64_t free_bytes() const;
  std::uint64_t largest_free() const;

 private:
  std::uint64_t total_, alignment_;
  std::map<std::uint64_t, std::uint64_t> free_;  // address -> bytes
  std::map<std::uint64_t, std::uint64_t> used_;
};

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/range_allocator.h"

#include <algorithm>
#include <iterator>

#include "sw/base/math.h"

namespace tern {

RangeAllocator::RangeAllocator(std::uint64_t base, std::uint64_t bytes, std::uint64_t alignment)
    : total_(bytes), alignment_(alignment) {
  if (bytes > 0) free_[base] = bytes;
}

std::optional<std::uint64_t> RangeAllocator::allocate(std::uint64_t bytes) {
  if (bytes == 0) bytes = 1;
  if (bytes > total_) return std::nullopt;  // also keeps the rounding below from overflowing
  bytes = round_up(bytes, alignment_);
  for (auto hole = free_.begin(); hole != free_.end(); ++hole) {
    if (hole->second < bytes) continue;
    const std::uint64_t address = hole->first;
    const std::uint64_t rest = hole->second - bytes;
    free_.erase(hole);
    if (rest > 0) free_[address + bytes] = rest;
    used_[address] = bytes;
    return address;
  }
  return std::nullopt;
}

bool RangeAllocator::allocate_at(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) bytes = 1;
  if (bytes > total_) return false;
  bytes = round_up(bytes, alignment_);
  auto hole = free_.upper_bound(address);
  if (hole == free_.begin()) return false;
  --hole;
  const std::uint64_t begin = hole->first, end = begin + hole->second;
  if (address + bytes > end) return false;
  free_.erase(hole);
  if (address > begin) free_[begin] = address - begin;
  if (address + bytes < end) free_[address + bytes] = end - (address + bytes);
  used_[address] = bytes;
  return true;
}

bool RangeAllocator::free(std::uint64_t address) {
  const auto block = used_.find(address);
  if (block == used_.end()) return false;
  auto hole = free_.emplace(block->first, block->second).first;
  used_.erase(block);
  if (const auto next = std::next(hole);
      next != free_.end() && hole->first + hole->second == next->first) {
    hole->second += next->second;
    free_.erase(next);
  }
  if (hole != free_.begin()) {
    const auto previous = std::prev(hole);
    if (previous->first + previous->second == hole->first) {
      previous->second += hole->second;
      free_.erase(hole);
    }
  }
  return true;
}

std::uint64_t RangeAllocator::free_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& hole : free_) sum += hole.second;
  return sum;
}

std::uint64_t RangeAllocator::largest_free() const {
  std::uint64_t largest = 0;
  for (const auto& hole : free_) largest = std::max(largest, hole.second);
  return largest;
}

}  // namespace tern

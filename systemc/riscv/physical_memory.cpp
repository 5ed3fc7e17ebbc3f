// SPDX-License-Identifier: Apache-2.0
#include "systemc/riscv/physical_memory.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tern::riscv {

void PhysicalMemory::add(Region region) {
  const bool whole = region.bytes != 0 && (region.base | region.bytes) % kPageBytes == 0;
  if (!whole || region.base + region.bytes < region.base || region.data == nullptr)
    throw std::invalid_argument("a region of memory is not made of whole pages");
  for (const Region& other : regions_) {
    if (region.base < other.base + other.bytes && other.base < region.base + region.bytes)
      throw std::invalid_argument("two regions of memory overlap");
  }
  region.code.assign(region.bytes / kPageBytes, false);
  regions_.push_back(std::move(region));
}

void PhysicalMemory::forget(PageObserver* observer) {
  observers_.erase(std::remove(observers_.begin(), observers_.end(), observer), observers_.end());
}

PhysicalMemory::Region* PhysicalMemory::find(std::uint64_t address) {
  const auto inside = [address](const Region& r) { return address - r.base < r.bytes; };
  if (last_ < regions_.size() && inside(regions_[last_])) return &regions_[last_];
  const auto found = std::find_if(regions_.begin(), regions_.end(), inside);
  if (found == regions_.end()) return nullptr;
  last_ = static_cast<std::size_t>(found - regions_.begin());
  return &*found;
}

void PhysicalMemory::mark_code(Region& region, std::uint64_t address) {
  const std::uint64_t page = (address - region.base) >> kPageShift;
  if (region.code[page]) return;
  region.code[page] = true;
  for (PageObserver* observer : observers_) observer->stores_refused();
}

void PhysicalMemory::keep_pages(PageKeeper* keeper) {
  keeper_ = keeper;
  for (PageObserver* observer : observers_) observer->stores_refused();
}

void PhysicalMemory::report_pages(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t last = (address + (bytes - 1)) & -kPageBytes;
  for (std::uint64_t page = address & -kPageBytes;; page += kPageBytes) {
    keeper_->before_write(page);
    if (page == last) return;
  }
}

void PhysicalMemory::written(std::uint64_t address, std::uint64_t bytes) {
  while (bytes != 0) {
    const std::uint64_t part = std::min(bytes, kPageBytes - address % kPageBytes);
    const Region* region = find(address);
    if (region != nullptr && region->code[(address - region->base) >> kPageShift]) {
      for (PageObserver* observer : observers_) observer->code_written(address, part);
    }
    address += part;
    bytes -= part;
  }
}

}  // namespace tern::riscv

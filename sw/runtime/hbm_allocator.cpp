// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/hbm_allocator.h"

#include <algorithm>
#include <utility>

#include "sw/base/user_error.h"
#include "sw/spec/generated/address_map.h"

namespace tern::runtime {

namespace {

constexpr std::uint64_t kAlignment = 4096;

std::string size_text(std::uint64_t bytes) {
  if (bytes >= std::uint64_t{1} << 20) return std::to_string(bytes >> 20) + " MiB";
  if (bytes >= 10240) return std::to_string(bytes >> 10) + " KiB";
  return std::to_string(bytes) + " bytes";
}

}  // namespace

HbmAllocator::HbmAllocator(unsigned stacks, std::uint64_t stack_bytes) {
  for (unsigned s = 0; s < stacks; ++s) {
    stacks_.emplace_back(TERN_HBM_BASE + s * TERN_HBM_STRIDE, stack_bytes, kAlignment);
  }
}

std::uint64_t HbmAllocator::allocate(const std::string& name, std::uint64_t bytes,
                                     unsigned preferred_stack) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (std::size_t i = 0; i < stacks_.size(); ++i) {
    if (const auto address = stacks_[(preferred_stack + i) % stacks_.size()].allocate(bytes)) {
      return *address;
    }
  }
  std::uint64_t largest = 0, total = 0, free = 0;
  for (const auto& stack : stacks_) {
    largest = std::max(largest, stack.largest_free());
    total += stack.total();
    free += stack.free_bytes();
  }
  throw OutOfMemory("HBM: '" + name + "': " + size_text(bytes) + " requested, " + size_text(free) +
                    " of " + size_text(total) + " free, largest block " + size_text(largest));
}

void HbmAllocator::free(std::uint64_t address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& stack : stacks_) {
    if (stack.free(address)) return;
  }
}

std::uint64_t HbmAllocator::free_bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::uint64_t sum = 0;
  for (const auto& stack : stacks_) sum += stack.free_bytes();
  return sum;
}

Buffer::Buffer(std::shared_ptr<HbmAllocator> owner, std::string name, std::uint64_t address,
               std::uint64_t bytes)
    : owner_(std::move(owner)), name_(std::move(name)), address_(address), bytes_(bytes) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this == &other) return *this;
  reset();
  owner_ = std::move(other.owner_);
  name_ = std::move(other.name_);
  address_ = other.address_;
  bytes_ = other.bytes_;
  other.owner_.reset();
  return *this;
}

void Buffer::reset() {
  if (owner_ != nullptr) owner_->free(address_);
  owner_.reset();
}

}  // namespace tern::runtime

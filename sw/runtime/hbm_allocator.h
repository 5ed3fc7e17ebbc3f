// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/runtime/range_allocator.h"

namespace tern::runtime {

// Not enough device memory.
class OutOfMemory : public UserError {
 public:
  using UserError::UserError;
};

// Allocates device memory. A block is in one HBM stack, the preferred one if it has room.
// Calls may come from any thread.
class HbmAllocator {
 public:
  HbmAllocator(unsigned stacks, std::uint64_t stack_bytes);

  // OutOfMemory naming `name`, the size and the remaining space.
  std::uint64_t allocate(const std::string& name, std::uint64_t bytes, unsigned preferred_stack);
  void free(std::uint64_t address);
  std::uint64_t free_bytes() const;

 private:
  mutable std::mutex mutex_;
  std::vector<RangeAllocator> stacks_;
};

// Device memory that is freed at the end of its life.
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::shared_ptr<HbmAllocator> owner, std::string name, std::uint64_t address,
         std::uint64_t bytes);
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer() { reset(); }

  void reset();
  explicit operator bool() const { return owner_ != nullptr; }
  const std::string& name() const { return name_; }
  std::uint64_t address() const { return address_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<HbmAllocator> owner_;
  std::string name_;
  std::uint64_t address_ = 0, bytes_ = 0;
};

}  // namespace tern::runtime

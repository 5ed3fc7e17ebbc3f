// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace tern {

// Elements whose bytes are zero at first, from a cache line on. Of a large one the host commits a
// page when it is first written: what is never used costs nothing.
template <typename T>
class ZeroedArray {
  static_assert(std::is_trivial_v<T>);

 public:
  explicit ZeroedArray(std::size_t size)
      : size_(size), memory_(std::calloc(size * sizeof(T) + kLine, 1), std::free) {
    if (memory_ == nullptr) throw std::bad_alloc();
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
    data_ = reinterpret_cast<T*>(static_cast<char*>(memory_.get()) + (kLine - address % kLine));
  }

  std::size_t size() const { return size_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t index) { return data_[index]; }
  const T& operator[](std::size_t index) const { return data_[index]; }

 private:
  static constexpr std::size_t kLine = 64;

  std::size_t size_;
  std::unique_ptr<void, decltype(&std::free)> memory_;
  T* data_ = nullptr;
};

}  // namespace tern

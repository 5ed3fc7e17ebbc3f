// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cassert>
#include <cstddef>

namespace tern::dma::model {

// First in, first out, of at most N elements (a power of two), without allocation.
template <typename T, std::size_t N>
class FixedQueue {
  static_assert((N & (N - 1)) == 0);

 public:
  bool empty() const { return begin_ == end_; }
  std::size_t size() const { return end_ - begin_; }
  T& front() { return data_[begin_ % N]; }
  const T& front() const { return data_[begin_ % N]; }
  T& operator[](std::size_t i) { return data_[(begin_ + i) % N]; }
  T& push(const T& value) {
    assert(size() < N);
    return data_[end_++ % N] = value;
  }
  // A new last element; it keeps the previous contents of its slot.
  T& extend() {
    assert(size() < N);
    return data_[end_++ % N];
  }
  void pop() {
    assert(!empty());
    ++begin_;
  }
  void clear() { begin_ = end_; }

 private:
  std::array<T, N> data_{};
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace tern::dma::model

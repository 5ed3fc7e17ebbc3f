// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tern::mgmt {

// Output that a client has not taken yet, because it is slow or not there: the newest 64 KiB.
class OutputBacklog {
 public:
  static constexpr std::size_t kBytes = std::size_t{64} << 10;

  void add(std::uint8_t byte) {
    bytes_[(first_ + size_) % kBytes] = static_cast<char>(byte);
    if (size_ < kBytes) {
      ++size_;
    } else {
      first_ = (first_ + 1) % kBytes;
    }
  }
  bool empty() const { return size_ == 0; }
  // The oldest bytes, as many as are in one piece.
  std::string_view front() const {
    return {bytes_.data() + first_, size_ < kBytes - first_ ? size_ : kBytes - first_};
  }
  void drop(std::size_t count) {
    first_ = (first_ + count) % kBytes;
    size_ -= count;
  }

 private:
  std::array<char, kBytes> bytes_{};
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace tern::mgmt

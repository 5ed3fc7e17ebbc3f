// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tern::mgmt {

// Input that has been read from the host at once and is taken byte by byte.
class InputChunk {
 public:
  static constexpr std::size_t kBytes = 256;

  bool empty() const { return next_ == size_; }
  std::optional<std::uint8_t> take() {
    if (empty()) return std::nullopt;
    return static_cast<std::uint8_t>(bytes_[next_++]);
  }
  // Where kBytes may be read to when it is empty, and how many have been.
  char* room() { return bytes_.data(); }
  void fill(std::size_t count) {
    next_ = 0;
    size_ = count;
  }

 private:
  std::array<char, kBytes> bytes_{};
  std::size_t next_ = 0, size_ = 0;
};

}  // namespace tern::mgmt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tern::fpga {

using Bytes = std::vector<std::uint8_t>;

// The framing of the link (fpga/README.md): bytes and their CRC-32C between two End bytes.
constexpr std::uint8_t kEnd = 0xC0, kEsc = 0xDB, kEscEnd = 0xDC, kEscEsc = 0xDD;

Bytes frame_of(const Bytes& content);

// Takes bytes one by one. What is no frame with a valid CRC is dropped.
class FrameReader {
 public:
  // The content of the frame that this byte ends.
  std::optional<Bytes> take(std::uint8_t byte);
  // Frames dropped so far.
  unsigned dropped() const { return dropped_; }

 private:
  Bytes content_;
  bool escaped_ = false, bad_ = false;
  unsigned dropped_ = 0;
};

}  // namespace tern::fpga

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sw/spec/generated/fpga.h"

namespace tern::fpga {

using Bytes = std::vector<std::uint8_t>;

// The framing of the link (fpga/README.md): bytes and their CRC-32C between two End bytes.
constexpr std::uint8_t kEnd = TERN_FPGA_END, kEsc = TERN_FPGA_ESC;
constexpr std::uint8_t kEscEnd = TERN_FPGA_ESC_END, kEscEsc = TERN_FPGA_ESC_ESC;

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

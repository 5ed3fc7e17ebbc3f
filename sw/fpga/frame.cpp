// SPDX-License-Identifier: Apache-2.0
#include "sw/fpga/frame.h"

#include "sw/base/crc32c.h"

namespace tern::fpga {

namespace {

constexpr std::size_t kMaxContent = 4096;  // no frame of a board is that long
constexpr std::size_t kCrcBytes = 4;

void put(Bytes* frame, std::uint8_t byte) {
  if (byte == kEnd || byte == kEsc) {
    frame->push_back(kEsc);
    byte = byte == kEnd ? kEscEnd : kEscEsc;
  }
  frame->push_back(byte);
}

}  // namespace

Bytes frame_of(const Bytes& content) {
  Bytes frame = {kEnd};
  for (const std::uint8_t byte : content) put(&frame, byte);
  const std::uint32_t crc = base::crc32c(0, content.data(), content.size());
  for (unsigned i = 0; i < kCrcBytes; ++i) put(&frame, static_cast<std::uint8_t>(crc >> 8 * i));
  frame.push_back(kEnd);
  return frame;
}

std::optional<Bytes> FrameReader::take(std::uint8_t byte) {
  if (byte != kEnd) {
    if (byte == kEsc) {
      bad_ = bad_ || escaped_;
      escaped_ = true;
      return std::nullopt;
    }
    if (escaped_) {
      bad_ = bad_ || (byte != kEscEnd && byte != kEscEsc);
      byte = byte == kEscEnd ? kEnd : kEsc;
      escaped_ = false;
    }
    bad_ = bad_ || content_.size() == kMaxContent;
    if (!bad_) content_.push_back(byte);
    return std::nullopt;
  }
  Bytes content;
  content.swap(content_);
  const bool bad = bad_ || escaped_;
  bad_ = escaped_ = false;
  if (content.empty() && !bad) return std::nullopt;
  if (!bad && content.size() > kCrcBytes) {
    std::uint32_t crc = 0;
    for (unsigned i = 0; i < kCrcBytes; ++i) {
      crc |= std::uint32_t{content[content.size() - kCrcBytes + i]} << 8 * i;
    }
    content.resize(content.size() - kCrcBytes);
    if (base::crc32c(0, content.data(), content.size()) == crc) return content;
  }
  ++dropped_;
  return std::nullopt;
}

}  // namespace tern::fpga

// SPDX-License-Identifier: Apache-2.0
#include "systemc/link/flit/packing.h"

#include <algorithm>

namespace tern::flit {
namespace {

// The first double word of a packet.
constexpr std::uint32_t kStart = 1u << TERN_LINK_START_VALID_LSB;
constexpr std::uint32_t kClassShift = TERN_LINK_START_CLS_LSB;
constexpr std::uint32_t kClassMask = (1u << TERN_LINK_START_CLS_WIDTH) - 1;
constexpr std::uint32_t kSizeMask = (1u << TERN_LINK_START_DWORDS_WIDTH) - 1;
constexpr std::uint32_t kZeros = ~(kStart | kClassMask << kClassShift | kSizeMask);

bool is_start(std::uint32_t word) {
  return (word & kStart) != 0 && (word & kZeros) == 0 && (word & kSizeMask) <= kMaxData;
}

}  // namespace

bool Packet::operator==(const Packet& other) const {
  return cls == other.cls && dwords == other.dwords && head == other.head &&
         std::equal(data.begin(), data.begin() + dwords, other.data.begin());
}

TlpPart Packer::next() const {
  TlpPart tlp{};
  std::copy_n(words_.begin(), std::min(words_.size(), kTlpDwords), tlp.begin());
  return tlp;
}

void Packer::take() {
  words_.erase(words_.begin(),
               words_.begin() + static_cast<std::ptrdiff_t>(std::min(words_.size(), kTlpDwords)));
  starts_ = 0;
}

void Packer::add(const Packet& packet) {
  words_.push_back(kStart | packet.cls << kClassShift | packet.dwords);
  words_.insert(words_.end(), packet.head.begin(), packet.head.end());
  words_.insert(words_.end(), packet.data.begin(), packet.data.begin() + packet.dwords);
  ++starts_;
}

std::optional<Packet> Unpacker::take() {
  if (words_.empty()) return std::nullopt;
  const std::uint32_t start = words_.front();
  const std::size_t size = kHeadDwords + (start & kSizeMask);
  if (words_.size() < size) return std::nullopt;
  Packet packet;
  packet.cls = start >> kClassShift & kClassMask;
  packet.dwords = start & kSizeMask;
  std::copy_n(words_.begin() + 1, packet.head.size(), packet.head.begin());
  std::copy_n(words_.begin() + kHeadDwords, packet.dwords, packet.data.begin());
  words_.erase(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(size));
  return packet;
}

bool Unpacker::add(const TlpPart& tlp) {
  std::size_t end = tail_;
  bool well_formed = true;
  for (unsigned starts = 0; starts < flit_cycles_ && end < kTlpDwords; ++starts) {
    const std::uint32_t word = tlp[end];
    if (!is_start(word)) {
      well_formed = word == 0;
      break;
    }
    end += kHeadDwords + (word & kSizeMask);
  }
  const std::size_t used = std::min(end, kTlpDwords);
  words_.insert(words_.end(), tlp.begin(), tlp.begin() + static_cast<std::ptrdiff_t>(used));
  tail_ = end - used;
  return well_formed;
}

}  // namespace tern::flit

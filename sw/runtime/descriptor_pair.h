// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern {

// Target of a descriptor before the program is loaded.
struct DmaAddress {
  enum class Space {
    kTensor,  // offset in HBM tensor `tensor`
    kCore,   // offset in the window of the core the program runs on (docs/reference/address_map.md)
    kChip,   // chip-local address
    kValue,  // no address: the contents of the field (pattern slots, immediates)
    kPeer,   // offset in the window of core `tensor` of those that run the program's parts
    kPeerTensor,  // offset in a tensor of another part: Executable::peer_tensors[tensor]
  };
  Space space = Space::kTensor;
  std::uint32_t tensor = 0;
  std::uint64_t offset = 0;
};

inline bool names_peer(const DmaAddress& address) {
  return address.space == DmaAddress::Space::kPeer ||
         address.space == DmaAddress::Space::kPeerTensor;
}

// A position of a ring: a source and a destination descriptor, or their pattern slots
// (rtl/dma/README.md).
struct DescriptorPair {
  static constexpr std::uint32_t kSame = 0xFFFFFFFF;
  DmaAddress source, destination;
  std::uint32_t bytes = 0;                  // of the source, 1 .. 65536; pattern slots: 0
  std::uint32_t destination_bytes = kSame;  // where they differ; 0: none
  std::uint32_t source_word = 0, destination_word = 0;  // word 1 (sw/spec/descriptor_pack.h)
  bool first = false, last = false, barrier = false;
};

}  // namespace tern

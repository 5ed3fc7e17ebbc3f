// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/dma/packet_list.h"

#include <algorithm>
#include <utility>

#include "sw/kernels/builder/dma/dma_plan.h"
#include "sw/spec/generated/registers.h"

namespace tern::kernels {

void PacketList::add(DmaAddress source, DmaAddress destination, std::uint64_t bytes,
                     std::uint32_t word) {
  while (bytes > 0) {
    DescriptorPair pair;
    pair.source = source;
    pair.destination = destination;
    pair.bytes =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, TERN_DESCRIPTOR_MAX_LENGTH));
    pair.destination_word = word;
    const bool full = packet_pairs_ == kPairsPerPacket || packet_bytes_ + pair.bytes > kPacketBytes;
    if (full) end_packet();
    pair.first = packet_pairs_ == 0;
    pair.barrier = std::exchange(barrier_, false);
    ++packet_pairs_;
    packet_bytes_ += pair.bytes;
    source.offset += pair.bytes;
    destination.offset += pair.bytes;
    bytes -= pair.bytes;
    pairs_.push_back(pair);
  }
}

void PacketList::barrier() {
  end_packet();
  barrier_ = true;
}

void PacketList::increment(unsigned semaphore, std::optional<unsigned> core) {
  end_packet();
  DescriptorPair pair = semaphore_increment(semaphore);
  if (core) {
    pair.destination.space = DmaAddress::Space::kPeer;
    pair.destination.tensor = *core;
  }
  pairs_.push_back(pair);
}

void PacketList::end_packet() {
  if (packet_pairs_ > 0) pairs_.back().last = true;
  packet_pairs_ = 0;
  packet_bytes_ = 0;
}

}  // namespace tern::kernels

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sw/runtime/executable.h"

namespace tern::kernels {

// Descriptor pairs of one engine's ring, written out one by one and grouped into packets.
class PacketList {
 public:
  // Any length; long runs become several pairs. `word`: word 1 of the destinations.
  void add(DmaAddress source, DmaAddress destination, std::uint64_t bytes, std::uint32_t word = 0);
  // Whatever is added next begins when everything before it is complete.
  void barrier();
  // Adds one to a semaphore, of this core or of another one of its group.
  void increment(unsigned semaphore, std::optional<unsigned> core = {});
  std::vector<DescriptorPair> take() {
    end_packet();
    return std::move(pairs_);
  }

 private:
  void end_packet();

  std::vector<DescriptorPair> pairs_;
  unsigned packet_pairs_ = 0;
  std::uint64_t packet_bytes_ = 0;
  bool barrier_ = false;
};

}  // namespace tern::kernels

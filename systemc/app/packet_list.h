// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sw/runtime/executable.h"

namespace tern::app {

// Descriptor pairs of one engine's ring, grouped into packets as the kernel builder does.
class PacketList {
 public:
  // Any length; long runs become several pairs.
  void add(DmaAddress source, DmaAddress destination, std::uint64_t bytes);
  // Adds one to a semaphore, of this core or of the one whose window begins at `window`.
  void increment(unsigned semaphore, std::optional<std::uint64_t> window = {});
  std::vector<DescriptorPair> take() { return std::move(pairs_); }

 private:
  void end_packet();

  std::vector<DescriptorPair> pairs_;
  unsigned packet_pairs_ = 0;
  std::uint64_t packet_bytes_ = 0;
};

}  // namespace tern::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sw/kernels/builder/memory/views.h"
#include "sw/runtime/executable.h"

namespace tern::kernels {

enum class DmaDirection { kLoad, kStore };

// Who makes a transfer's descriptors: the host, before the program runs, or the descriptor
// generator of the Sync or Scalar queue, at run time.
enum class Descriptors : std::uint8_t { kHost, kSync, kScalar };

struct DmaOptions {
  unsigned priority = 3;  // class of service: 0 is the most urgent
  Descriptors descriptors = Descriptors::kHost;
};
// dma_copy unless specified otherwise.
constexpr DmaOptions kMadeBySync{3, Descriptors::kSync};

using EngineDescriptors = std::array<std::vector<DescriptorPair>, Executable::kEngines>;

// The last descriptor of a transfer on each engine: adds one to a semaphore of the core.
DescriptorPair semaphore_increment(unsigned semaphore);

// Splits a transfer between HBM and SBUF into descriptor pairs for the 16 engines. The views have
// the same number of partitions and of elements on each. 128 partitions: engine p / 8 serves
// partition p; otherwise an even spread, and fewer partitions than engines are cut along their
// rows. Runs that are contiguous on both sides are merged; packets end at kPacketBytes or
// kPairsPerPacket. Every engine ends with a 4-byte pair that adds one to `semaphore`.
EngineDescriptors plan_transfer(const TileView& tile, const TensorView& tensor,
                                DmaDirection direction, unsigned semaphore);

// Chosen below the engine's limits (rtl/dma/README.md). Bytes: four of the default packets of
// 4 KiB. Pairs: a quarter of a ring's prefetch buffer, whose slots are freed by packets: the next
// 64 pairs are fetched while half of the buffer is still being processed.
constexpr std::uint32_t kPacketBytes = 16384;
constexpr unsigned kPairsPerPacket = 32;

}  // namespace tern::kernels

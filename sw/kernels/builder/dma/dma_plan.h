// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sw/kernels/builder/memory/views.h"
#include "sw/runtime/executable.h"
#include "sw/spec/generated/dma.h"

namespace tern::kernels {

enum class DmaDirection { kLoad, kStore };

// Who makes a transfer's descriptors: the host, before the program runs, or the descriptor
// generator of the Sync or Scalar queue, at run time. kChip: as `dma.descriptors` says, where a
// generator can; loads and copies go to Sync's, stores to Scalar's.
// kChipSync, kChipScalar: the same, but go to that one's. kGpsimd: GpSimd's processors, where a
// generator could, else the host.
enum class Descriptors : std::uint8_t {
  kChip,
  kHost,
  kSync,
  kScalar,
  kChipSync,
  kChipScalar,
  kGpsimd
};

struct DmaOptions {
  unsigned priority = 3;  // class of service: 0 is the most urgent
  Descriptors descriptors = Descriptors::kChip;
};
// Beside a stream that keeps the generators busy.
constexpr DmaOptions kMadeByHost{3, Descriptors::kHost};

// Bytes of a row from which on a generator, 0.86 us for each transfer, keeps the DMA engines busy;
// shorter ones are the host's with dma.descriptors: by_length.
constexpr std::uint64_t kLongRow = 2048;

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

// Where packets end (docs/spec/dma.yaml).
constexpr std::uint32_t kPacketBytes = TERN_DMA_PACKET_BYTES;
constexpr unsigned kPairsPerPacket = TERN_DMA_PAIRS_PER_PACKET;

}  // namespace tern::kernels

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "sw/base/math.h"
#include "systemc/dma/model/unit.h"

namespace tern::dma::model {

// The sizes of rtl/dma/README.md, "Words and sizes".
constexpr unsigned kRings = TERN_REG_DMA_RING_SIZE_COUNT;
constexpr unsigned kPrefetchPairs = TERN_DMA_PREFETCH_PAIRS;
constexpr std::uint64_t kBaseAlignment = TERN_REG_DMA_RING_TX_BASE_ALIGNMENT;
constexpr unsigned kFetchPairs = TERN_DMA_FETCH_PAIRS;
constexpr unsigned kMaxPacketPairs = TERN_DMA_MAX_PACKET_PAIRS;
constexpr std::uint32_t kPairBytes = TERN_DESCRIPTOR_MAX_LENGTH;
constexpr unsigned kReadLines = TERN_DMA_READ_LINES, kReadTags = TERN_DMA_TAGS;
constexpr unsigned kWriteLines = TERN_DMA_WRITE_LINES, kWriteTags = TERN_DMA_TAGS;
constexpr unsigned kPackets = TERN_DMA_PACKETS;
constexpr unsigned kTargetPackets = TERN_DMA_TARGET_PACKETS;
constexpr unsigned kTargetPieces = TERN_DMA_TARGET_PIECES;
constexpr unsigned kMoverStages = TERN_DMA_MOVER_STAGES;
constexpr unsigned kImmediates = TERN_DMA_IMMEDIATES;
constexpr unsigned kSources = TERN_DMA_SOURCES;

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

constexpr std::uint32_t lines(std::uint32_t bytes) {
  return ceil_div(bytes, kBeatBytes);
}

}  // namespace tern::dma::model

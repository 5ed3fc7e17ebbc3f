// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "systemc/dma/model/unit.h"

namespace tern::dma::model {

// The numbers of rtl/dma/README.md, "Words and sizes".
constexpr unsigned kRings = TERN_REG_DMA_RING_SIZE_COUNT;
constexpr unsigned kPrefetchPairs = 128;
constexpr std::uint64_t kBaseAlignment = 256;
constexpr unsigned kFetchPairs = 64;
constexpr unsigned kMaxPacketPairs = 64;
constexpr std::uint32_t kPairBytes = 65536;
constexpr unsigned kReadLines = 512, kReadTags = 64;
constexpr unsigned kWriteLines = 512, kWriteTags = 64;
constexpr unsigned kPackets = 64;
constexpr unsigned kTargetPackets = 16;  // dispatched and not yet read by the target side
constexpr unsigned kTargetPieces = 8;
constexpr unsigned kMoverStages = 4;
constexpr unsigned kImmediates = 16;
constexpr unsigned kSources = 16;  // of an operation

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

constexpr std::uint32_t lines(std::uint32_t bytes) {
  return (bytes + kBeatBytes - 1) / kBeatBytes;
}

}  // namespace tern::dma::model

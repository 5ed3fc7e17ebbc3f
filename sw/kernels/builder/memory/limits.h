// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/spec/generated/address_map.h"

// Documented limits of a NeuronCore that a kernel author may encounter.
namespace tern::kernels {

constexpr unsigned kPartitions = TERN_CORE_SBUF_COUNT;
constexpr unsigned kPsumBanks = 8;
constexpr std::uint32_t kPsumPartitionBytes = TERN_CORE_PSUM_STRIDE;
constexpr std::uint32_t kPsumBankBytes = kPsumPartitionBytes / kPsumBanks;
constexpr unsigned kPsumBankColumns = kPsumBankBytes / 4;  // FP32
constexpr unsigned kMaxContraction = 128;                  // K of one matmul: partitions
constexpr unsigned kMaxStationary = 128;                   // M of one matmul
constexpr unsigned kMaxMoving = 512;                       // N of one matmul
constexpr unsigned kStationaryAlignment = 8;               // bytes
constexpr std::uint32_t kMaxRingPairs = (1u << 24) - 16;

// A tile on more than 64 partitions starts on partition 0, one on 33..64 on 0 or 64, a smaller one
// on 0, 32, 64 or 96.
constexpr bool legal_start_partition(unsigned start, unsigned count) {
  if (count > 64) return start == 0;
  if (count > 32) return start % 64 == 0;
  return start % 32 == 0;
}

}  // namespace tern::kernels

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "sw/spec/generated/tensor_modes.h"
#include "sw/spec/generated/tensor_shapes.h"

// Documented limits of a NeuronCore that a kernel author may encounter.
namespace tern::kernels {

constexpr unsigned kPartitions = TERN_CORE_SBUF_COUNT;
constexpr unsigned kPsumBanks = TERN_TENSOR_PSUM_BANKS;
constexpr std::uint32_t kPsumPartitionBytes = TERN_CORE_PSUM_STRIDE;
constexpr std::uint32_t kPsumBankBytes = kPsumPartitionBytes / kPsumBanks;
constexpr unsigned kPsumBankColumns = TERN_TENSOR_BANK_COLUMNS;  // FP32
constexpr unsigned kMaxContraction = TERN_TENSOR_ROWS;           // K of one matmul: partitions
constexpr unsigned kMaxStationary = TERN_TENSOR_COLS;            // M of one matmul
constexpr unsigned kMaxMoving = kPsumBankColumns;                // N of one matmul
constexpr unsigned kStationaryAlignment = TERN_TENSOR_ALIGN_STATIONARY;  // bytes
// The part of SBUF for descriptors of gathers and scatters, at the end of every partition.
constexpr std::uint32_t kGatherBytes = 16 * 1024;
constexpr std::uint32_t kMaxRingPairs = TERN_REG_DMA_RING_SIZE_MAX;

static_assert(kPsumBankBytes == kPsumBankColumns * sizeof(float), "address map and tensor engine");

}  // namespace tern::kernels

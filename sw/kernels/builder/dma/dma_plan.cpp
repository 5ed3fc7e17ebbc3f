// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/dma/dma_plan.h"

#include <algorithm>

#include "sw/spec/descriptor_pack.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"

namespace tern::kernels {

namespace {

constexpr std::uint64_t kSmallestPiece =
    512;  // rows are not cut finer: the cost per descriptor would outweigh it

struct Run {
  unsigned partition;         // of the core
  std::uint64_t tile_byte;    // in the partition
  std::uint64_t tensor_byte;  // in the tensor
  std::uint64_t bytes;
};

// The runs of one partition, merged where both sides continue without a gap.
std::vector<Run> runs_of(const TileView& tile, const TensorView& tensor, unsigned index) {
  const std::uint64_t size = numerics::dtype_size(tile.dtype);
  // The finer of the two splits of the free axis; both are of equal runs, one divides the other.
  const std::uint64_t inner = std::min<std::uint64_t>(tile.num0, tensor.inner);
  std::vector<Run> runs;
  for (std::uint64_t i = 0; i < tile.elements(); i += inner) {
    Run run;
    run.partition = tile.partition + index;
    run.tile_byte =
        tile.byte + (i / tile.num0 * static_cast<std::uint64_t>(tile.step1) + i % tile.num0) * size;
    run.tensor_byte = tensor.offset + index * tensor.partition_pitch +
                      i / tensor.inner * tensor.outer_pitch + i % tensor.inner * size;
    run.bytes = inner * size;
    if (!runs.empty() && runs.back().tile_byte + runs.back().bytes == run.tile_byte &&
        runs.back().tensor_byte + runs.back().bytes == run.tensor_byte) {
      runs.back().bytes += run.bytes;
    } else {
      runs.push_back(run);
    }
  }
  return runs;
}

class EngineList {
 public:
  EngineList(DmaDirection direction, std::uint32_t tensor)
      : direction_(direction), tensor_(tensor) {}

  void add(const Run& run) {
    for (std::uint64_t done = 0; done < run.bytes;) {
      const std::uint64_t bytes =
          std::min<std::uint64_t>(run.bytes - done, TERN_DESCRIPTOR_MAX_LENGTH);
      DmaAddress core{
          DmaAddress::Space::kCore, 0,
          TERN_CORE_SBUF_BASE + run.partition * TERN_CORE_SBUF_STRIDE + run.tile_byte + done};
      DmaAddress hbm{DmaAddress::Space::kTensor, tensor_, run.tensor_byte + done};
      DescriptorPair pair;
      pair.source = direction_ == DmaDirection::kLoad ? hbm : core;
      pair.destination = direction_ == DmaDirection::kLoad ? core : hbm;
      pair.bytes = static_cast<std::uint32_t>(bytes);
      push(pair);
      done += bytes;
    }
  }

  std::vector<DescriptorPair> finish(unsigned semaphore) {
    if (!pairs_.empty()) pairs_.back().last = true;
    pairs_.push_back(semaphore_increment(semaphore));
    return std::move(pairs_);
  }

 private:
  void push(DescriptorPair pair) {
    const bool full = packet_pairs_ == kPairsPerPacket || packet_bytes_ + pair.bytes > kPacketBytes;
    if (packet_pairs_ == 0 || full) {
      if (!pairs_.empty()) pairs_.back().last = true;
      pair.first = true;
      packet_pairs_ = 0;
      packet_bytes_ = 0;
    }
    packet_pairs_ += 1;
    packet_bytes_ += pair.bytes;
    pairs_.push_back(pair);
  }

  DmaDirection direction_;
  std::uint32_t tensor_;
  std::vector<DescriptorPair> pairs_;
  unsigned packet_pairs_ = 0;
  std::uint64_t packet_bytes_ = 0;
};

}  // namespace

DescriptorPair semaphore_increment(unsigned semaphore) {
  DescriptorOperation immediate;
  immediate.op = TERN_DMA_OP_IMMEDIATE;
  DescriptorPair increment;
  increment.source = {DmaAddress::Space::kValue, 0, 1};
  increment.destination = {DmaAddress::Space::kCore, 0,
                           TERN_CORE_REGS_BASE + TERN_REG_CORE_SEMAPHORE_INC +
                               semaphore * TERN_REG_CORE_SEMAPHORE_INC_STRIDE};
  increment.bytes = 4;
  increment.destination_word = immediate.word();
  increment.first = increment.last = true;
  return increment;
}

EngineDescriptors plan_transfer(const TileView& tile, const TensorView& tensor,
                                DmaDirection direction, unsigned semaphore) {
  constexpr unsigned kEngines = Executable::kEngines;
  std::vector<EngineList> lists(kEngines, EngineList(direction, tensor.tensor));
  if (tile.partitions >= kEngines) {
    for (unsigned p = 0; p < tile.partitions; ++p) {
      EngineList& list = lists[p * kEngines / tile.partitions];
      for (const Run& run : runs_of(tile, tensor, p)) list.add(run);
    }
  } else {
    const std::uint64_t all = tile.partitions * tile.elements() * numerics::dtype_size(tile.dtype);
    const std::uint64_t share = (all + kEngines - 1) / kEngines;
    const std::uint64_t piece = std::max(kSmallestPiece, (share + 63) / 64 * 64);
    unsigned engine = 0;
    for (unsigned p = 0; p < tile.partitions; ++p) {
      for (Run run : runs_of(tile, tensor, p)) {
        while (run.bytes > 0) {
          Run part = run;
          part.bytes = std::min(run.bytes, piece);
          lists[engine++ % kEngines].add(part);
          run.tile_byte += part.bytes;
          run.tensor_byte += part.bytes;
          run.bytes -= part.bytes;
        }
      }
    }
  }
  EngineDescriptors result;
  for (unsigned e = 0; e < kEngines; ++e) result[e] = lists[e].finish(semaphore);
  return result;
}

}  // namespace tern::kernels

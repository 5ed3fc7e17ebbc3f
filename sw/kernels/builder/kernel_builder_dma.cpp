// SPDX-License-Identifier: Apache-2.0
// Transfers between HBM and SBUF: checks, descriptors, triggers.
#include <algorithm>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/limits.h"
#include "systemc/config/user_error.h"

namespace tern::kernels {

namespace {

[[noreturn]] void fail(SourceLine where, const std::string& message) {
  throw UserError(where.text() + ": " + message);
}

const char* name_of(DmaDirection direction) {
  return direction == DmaDirection::kLoad ? "dma_load" : "dma_store";
}

}  // namespace

void KernelBuilder::dma_load(const TileView& tile, const TensorView& tensor, SourceLine where) {
  transfer(tile, tensor, DmaDirection::kLoad, where);
}

void KernelBuilder::dma_store(const TensorView& tensor, const TileView& tile, SourceLine where) {
  transfer(tile, tensor, DmaDirection::kStore, where);
}

void KernelBuilder::transfer(const TileView& tile, const TensorView& tensor, DmaDirection direction,
                             SourceLine where) {
  const bool load = direction == DmaDirection::kLoad;
  const char* name = name_of(direction);
  const TensorInfo& info = program_.tensors[tensor.tensor];
  const std::string what = std::string(name) + " of tensor '" + info.name + "'";
  if (tile.space != Space::kSbuf) fail(where, what + ": expected a tile in SBUF");
  if (tile.dtype != tensor.dtype) {
    fail(where, what + ": is " + std::string(numerics::dtype_name(tensor.dtype)) +
                    ", the tile is " + std::string(numerics::dtype_name(tile.dtype)));
  }
  if (tile.dimensions() > 2) fail(where, what + ": more than 2 free dimensions");
  const std::uint64_t elements = tensor.outer * tensor.inner;
  if (tile.partitions != tensor.partitions || tile.elements() != elements || elements == 0) {
    fail(where, what + ": [" + std::to_string(tensor.partitions) + ", " + std::to_string(elements) +
                    "] does not fit the tile's [" + std::to_string(tile.partitions) + ", " +
                    std::to_string(tile.elements()) + "]");
  }
  const std::uint64_t inner = std::min<std::uint64_t>(tile.num0, tensor.inner);
  if (tile.step0 != 1 || tile.step1 < 0 || tile.num0 % inner != 0 || tensor.inner % inner != 0) {
    fail(where, what + ": expected contiguous elements along the free axis");
  }
  if (!load && info.kind != TensorInfo::Kind::kOutput && info.kind != TensorInfo::Kind::kScratch) {
    fail(where, what + ": it is an input");
  }
  if (!load && tensor.partition_pitch == 0 && tensor.partitions > 1) {
    fail(where, what + ": several partitions into one row");
  }

  std::vector<HazardMap::Access> accesses = {access_of(tile, load)};
  const bool constant =
      info.kind == TensorInfo::Kind::kInput || info.kind == TensorInfo::Kind::kWeight;
  if (!constant) {
    accesses.push_back(
        {2 + tensor.tensor, {tensor.row0, tensor.row1, tensor.byte0, tensor.byte1}, !load});
  }
  const unsigned ring = load ? kLoadRing : kStoreRing;
  const unsigned queue = load ? TERN_QUEUE_SYNC : TERN_QUEUE_GPSIMD;
  if (turn_ != nullptr) {
    tern_instruction_t trigger{};
    trigger.header.opcode = TERN_OPCODE_DMA_TRIGGER;
    trigger.dma_trigger.ring = static_cast<std::uint8_t>(ring);
    turn_->push_back(
        {queue, trigger, {}, name, where, accesses, LoopStep::Transfer{tile, tensor, direction}});
    return;
  }
  const std::uint32_t number = transfers_[ring]++;
  const unsigned semaphore =
      kFirstDmaSemaphore + ring * kSemaphoresPerRing + number % kSemaphoresPerRing;
  const std::uint32_t use = number / kSemaphoresPerRing;
  const Event done{semaphore, (use + 1) * Executable::kEngines};

  // Engines of a ring run ahead of each other: only with one transfer in flight per semaphore does
  // its value tell which transfer is complete.
  std::vector<Event> waits;
  if (use > 0) waits.push_back({semaphore, use * Executable::kEngines});
  for (const auto& access : accesses) hazards_.collect(access, HazardMap::kDma, &waits);

  std::array<std::size_t, Executable::kEngines> left =
      append_descriptors(tile, tensor, direction, semaphore, where);
  std::size_t most = *std::max_element(left.begin(), left.end());
  // A trigger counts 16 bits per engine.
  for (bool first = true; most > 0; first = false) {
    tern_instruction_t trigger{};
    trigger.header.opcode = TERN_OPCODE_DMA_TRIGGER;
    trigger.dma_trigger.ring = static_cast<std::uint8_t>(ring);
    for (unsigned e = 0; e < Executable::kEngines; ++e) {
      const std::size_t count = std::min<std::size_t>(left[e], 0xffff);
      trigger.dma_trigger.count[e] = static_cast<std::uint16_t>(count);
      left[e] -= count;
    }
    most -= std::min<std::size_t>(most, 0xffff);
    append_with_waits(queue, trigger, name,
                      first ? waits_.reduce(queue, waits) : std::vector<Event>{}, where);
  }
  announce_transfer(ring, queue, done);
  hazards_.record(accesses, HazardMap::kDma, done);
}

std::array<std::size_t, Executable::kEngines> KernelBuilder::append_descriptors(
    const TileView& tile, const TensorView& tensor, DmaDirection direction, unsigned semaphore,
    SourceLine where) {
  const unsigned ring = direction == DmaDirection::kLoad ? kLoadRing : kStoreRing;
  const EngineDescriptors pairs = plan_transfer(tile, tensor, direction, semaphore);
  auto& engines = program_.rings[ring];
  std::array<std::size_t, Executable::kEngines> counts{};
  for (unsigned e = 0; e < Executable::kEngines; ++e) {
    counts[e] = pairs[e].size();
    engines[e].insert(engines[e].end(), pairs[e].begin(), pairs[e].end());
    if (engines[e].size() > kMaxRingPairs) {
      fail(where, std::string(name_of(direction)) + " of tensor '" +
                      program_.tensors[tensor.tensor].name + "': more than " +
                      std::to_string(kMaxRingPairs) + " descriptors on one engine of ring " +
                      std::to_string(ring));
    }
  }
  return counts;
}

void KernelBuilder::announce_transfer(unsigned ring, unsigned queue, Event done) {
  if (last_transfer_[ring]) {
    waits_.announce_after(queue, done, *last_transfer_[ring]);
  } else {
    waits_.announce(queue, done);
  }
  last_transfer_[ring] = done;
}

}  // namespace tern::kernels

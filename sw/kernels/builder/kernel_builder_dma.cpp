// SPDX-License-Identifier: Apache-2.0
// Transfers between HBM and SBUF: checks, descriptors, triggers.
#include <algorithm>

#include "sw/base/user_error.h"
#include "sw/kernels/builder/builder_transfers.h"
#include "sw/kernels/builder/element/view_checks.h"
#include "sw/kernels/builder/memory/limits.h"

namespace tern::kernels {

namespace {

[[noreturn]] void fail(SourceLine where, const std::string& message) {
  throw UserError(where.text() + ": " + message);
}

const char* name_of(DmaDirection direction) {
  return direction == DmaDirection::kLoad ? "dma_load" : "dma_store";
}

}  // namespace

void TransferCalls::dma_load(const TileView& tile, const TensorView& tensor, SourceLine where) {
  transfer(tile, tensor, DmaDirection::kLoad, {}, where);
}

void TransferCalls::dma_store(const TensorView& tensor, const TileView& tile, SourceLine where) {
  transfer(tile, tensor, DmaDirection::kStore, {}, where);
}

void TransferCalls::dma_load(const TileView& tile, const TensorView& tensor,
                             const DmaOptions& options, SourceLine where) {
  transfer(tile, tensor, DmaDirection::kLoad, options, where);
}

void TransferCalls::dma_store(const TensorView& tensor, const TileView& tile,
                              const DmaOptions& options, SourceLine where) {
  transfer(tile, tensor, DmaDirection::kStore, options, where);
}

void TransferCalls::transfer(const TileView& tile, const TensorView& tensor, DmaDirection direction,
                             const DmaOptions& options, SourceLine where) {
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
    accesses.push_back({kFirstTensorSpace + tensor.tensor,
                        {tensor.row0, tensor.row1, tensor.byte0, tensor.byte1},
                        !load});
  }
  const DmaView in_sbuf(tile), in_hbm(tensor);
  const auto made = load ? generated(in_sbuf, in_hbm, options, what, where)
                         : generated(in_hbm, in_sbuf, options, what, where);
  if (iteration_ != nullptr) {
    if (options.priority != DmaRings::kLeastUrgent) fail(where, what + ": priority in a loop");
    record_transfer(tile, tensor, direction, made, accesses, where);
    return;
  }
  if (made) {
    generated_transfer(*made, options.priority, accesses, what.c_str(), where);
    return;
  }
  const Started started = begin_transfer(load ? DmaRings::Kind::kLoad : DmaRings::Kind::kStore,
                                         options.priority, name, accesses, where);
  const EngineDescriptors pairs = plan_transfer(tile, tensor, direction, started.semaphore);
  trigger(started, append_pairs(started.ring, pairs, what, where), name, where);
  end_transfer(started, accesses);
}

// In a loop. Registers move the addresses of generated transfers; they hold 31 bits.
void TransferCalls::record_transfer(const TileView& tile, const TensorView& tensor,
                                    DmaDirection direction,
                                    const std::optional<Generated>& generated,
                                    std::vector<HazardMap::Access> accesses, SourceLine where) {
  use(accesses, name_of(direction), where);
  LoopStep step;
  step.name = name_of(direction);
  step.where = where;
  step.accesses = std::move(accesses);
  step.transfer = LoopStep::Transfer{tile, tensor, direction};
  unsigned& ring = step.transfer->ring;
  ring = direction == DmaDirection::kLoad ? kLoadRing : kStoreRing;
  step.instruction.header.opcode = TERN_OPCODE_DMA_TRIGGER;
  step.instruction.dma_trigger.ring = static_cast<std::uint8_t>(ring);
  const auto own = generated && program_.tensors[tensor.tensor].bytes() <= INT32_MAX
                       ? rings_.ring(generated->kind, DmaRings::kLeastUrgent)
                       : std::nullopt;
  if (own) {
    ring = *own;
    program_.generated_rings[ring] = {};
    step.instruction = {};
    step.instruction.dma_copy = generated->fields;
    step.instruction.header.opcode = TERN_OPCODE_DMA_COPY;
    step.instruction.dma_copy.ring = static_cast<std::uint8_t>(ring);
    step.transfer->copy = LoopStep::Copy{generated->destination, generated->source};
  }
  step.queue = rings_.queue(ring);
  iteration_->push_back(std::move(step));
}

TransferCalls::Started TransferCalls::begin_transfer(DmaRings::Kind kind, unsigned priority,
                                                     const char* name,
                                                     const std::vector<HazardMap::Access>& accesses,
                                                     SourceLine where) {
  if (priority > DmaRings::kLeastUrgent) {
    fail(where, std::string(name) + ": priority " + std::to_string(priority) +
                    ": expected 0 (most urgent) to 3");
  }
  use(accesses, name, where);
  if (!repeats_.empty() && (kind == DmaRings::Kind::kLoad || kind == DmaRings::Kind::kStore)) {
    fail(where, std::string(name) +
                    ": in a dynamic loop, where descriptors that the host makes cannot be used "
                    "again");
  }
  const auto ring = rings_.ring(kind, priority);
  if (!ring) {
    fail(where, std::string(name) + ": no ring is left for another kind of transfer or priority");
  }
  if (priority != DmaRings::kLeastUrgent) program_.ring_classes[*ring] = priority;
  const DmaRings::Next next = rings_.next(*ring);
  Started started{*ring, rings_.queue(*ring), next.done.semaphore, {}, next.done};
  if (next.before) started.waits.push_back(*next.before);
  for (const auto& access : accesses) hazards_.collect(access, HazardMap::kDma, &started.waits);
  started.waits.insert(started.waits.end(), after_.begin(), after_.end());
  return started;
}

void TransferCalls::end_transfer(const Started& started,
                                 const std::vector<HazardMap::Access>& accesses) {
  announce_transfer(started.ring, started.queue, started.done);
  hazards_.record(accesses, HazardMap::kDma, started.done);
  note_done(started.done);
}

// A trigger counts 16 bits per engine.
void TransferCalls::trigger(const Started& started,
                            std::array<std::size_t, Executable::kEngines> left, const char* name,
                            SourceLine where) {
  constexpr std::size_t kMax = 0xffff;
  std::size_t most = *std::max_element(left.begin(), left.end());
  for (bool first = true; most > 0; first = false) {
    tern_instruction_t trigger{};
    trigger.header.opcode = TERN_OPCODE_DMA_TRIGGER;
    trigger.dma_trigger.ring = static_cast<std::uint8_t>(started.ring);
    for (unsigned e = 0; e < Executable::kEngines; ++e) {
      const std::size_t count = std::min(left[e], kMax);
      trigger.dma_trigger.count[e] = static_cast<std::uint16_t>(count);
      left[e] -= count;
    }
    most -= std::min(most, kMax);
    append_with_waits(started.queue, trigger, name,
                      first ? waits_.reduce(started.queue, started.waits) : std::vector<Event>{},
                      where);
  }
}

std::array<std::size_t, Executable::kEngines> TransferCalls::append_descriptors(
    const TileView& tile, const TensorView& tensor, DmaDirection direction, unsigned semaphore,
    SourceLine where) {
  const unsigned ring = direction == DmaDirection::kLoad ? kLoadRing : kStoreRing;
  return append_pairs(
      ring, plan_transfer(tile, tensor, direction, semaphore),
      std::string(name_of(direction)) + " of tensor '" + program_.tensors[tensor.tensor].name + "'",
      where);
}

std::array<std::size_t, Executable::kEngines> TransferCalls::append_pairs(
    unsigned ring, const EngineDescriptors& pairs, const std::string& what, SourceLine where) {
  auto& engines = program_.rings[ring];
  TransferOrigin origin;
  origin.text = where.text() + ": " + what;
  std::array<std::size_t, Executable::kEngines> counts{};
  for (unsigned e = 0; e < Executable::kEngines; ++e) {
    origin.begin[e] = static_cast<std::uint32_t>(engines[e].size());
    counts[e] = pairs[e].size();
    engines[e].append(pairs[e]);
    if (engines[e].size() > kMaxRingPairs) {
      fail(where, what + ": more than " + std::to_string(kMaxRingPairs) +
                      " descriptors on one engine of ring " + std::to_string(ring));
    }
  }
  program_.transfers[ring].push_back(std::move(origin));
  return counts;
}

void TransferCalls::announce_transfer(unsigned ring, unsigned queue, Event done) {
  std::optional<Event>& last = rings_.last(ring);
  if (last) {
    waits_.announce_after(queue, done, *last);
  } else {
    waits_.announce(queue, done);
  }
  last = done;
}

}  // namespace tern::kernels

// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/dma/dma_rings.h"

#include <algorithm>

#include "sw/runtime/executable.h"

namespace tern::kernels {

namespace {

unsigned queue_of(DmaRings::Kind kind) {
  switch (kind) {
    case DmaRings::Kind::kLoad:
    case DmaRings::Kind::kSync:
      return TERN_QUEUE_SYNC;
    case DmaRings::Kind::kScalar:
      return TERN_QUEUE_SCALAR;
    case DmaRings::Kind::kCc0:
      return TERN_QUEUE_CC0;
    case DmaRings::Kind::kCc1:
      return TERN_QUEUE_CC1;
    default:
      return TERN_QUEUE_GPSIMD;
  }
}

}  // namespace

DmaRings::DmaRings() {
  for (const Kind kind : {Kind::kLoad, Kind::kStore}) {
    const auto number = static_cast<unsigned>(rings_.size());
    rings_.push_back({kind, kLeastUrgent, queue_of(kind), kFirstSemaphore + number * kSemaphores,
                      kSemaphores, 0, std::nullopt});
  }
}

std::optional<unsigned> DmaRings::ring(Kind kind, unsigned priority) {
  const auto found = std::find_if(rings_.begin(), rings_.end(), [&](const Ring& ring) {
    return ring.kind == kind && ring.priority == priority;
  });
  if (found != rings_.end()) return static_cast<unsigned>(found - rings_.begin());
  const auto number = static_cast<unsigned>(rings_.size());
  const unsigned first = kFirstFurtherSemaphore + (number - 2) * kFurtherSemaphores;
  constexpr unsigned kAll = TERN_REG_CORE_SEMAPHORE_READ_COUNT;
  if (number == kCount || first + kFurtherSemaphores > kAll) return std::nullopt;
  rings_.push_back({kind, priority, queue_of(kind), first, kFurtherSemaphores, 0, std::nullopt});
  return number;
}

DmaRings::Next DmaRings::next(unsigned ring) {
  Ring& of = rings_[ring];
  const std::uint32_t number = of.transfers++;
  const unsigned semaphore = of.first_semaphore + number % of.semaphores;
  const std::uint32_t use = number / of.semaphores;
  Next next;
  next.done = {semaphore, (use + 1) * Executable::kEngines};
  if (use > 0) next.before = Event{semaphore, use * Executable::kEngines};
  return next;
}

void DmaRings::collect(unsigned queue, std::vector<Event>* events) const {
  for (const Ring& ring : rings_) {
    if (ring.queue != queue) continue;
    for (unsigned slot = 0; slot < std::min(ring.transfers, ring.semaphores); ++slot) {
      events->push_back({ring.first_semaphore + slot, ring.uses(slot) * Executable::kEngines});
    }
  }
}

std::vector<DmaRings::Counted> DmaRings::counted_since(const DmaRings& before) const {
  std::vector<Counted> result;
  for (std::size_t i = 0; i < rings_.size(); ++i) {
    const Ring& ring = rings_[i];
    for (unsigned slot = 0; slot < ring.semaphores; ++slot) {
      const std::uint32_t had = i < before.rings_.size() ? before.rings_[i].uses(slot) : 0;
      const std::uint32_t has = ring.uses(slot);
      if (has == had) continue;
      result.push_back({{ring.first_semaphore + slot, has * Executable::kEngines},
                        (has - had) * Executable::kEngines});
    }
  }
  return result;
}

void DmaRings::rewind(const DmaRings& before) {
  for (std::size_t i = 0; i < rings_.size(); ++i) {
    const bool older = i < before.rings_.size();
    rings_[i].transfers = older ? before.rings_[i].transfers : 0;
    rings_[i].last = older ? before.rings_[i].last : std::nullopt;
  }
}

}  // namespace tern::kernels

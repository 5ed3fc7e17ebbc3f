// SPDX-License-Identifier: Apache-2.0
#include "systemc/dma/model/fetch.h"

#include <algorithm>
#include <cstring>

#include "systemc/qos/round_robin.h"

namespace tern::dma::model {

namespace {
// A base that software overwrites while the ring runs cannot make a request cross a burst.
std::uint64_t aligned(std::uint64_t base) {
  return base & ~(kBaseAlignment - 1);
}
}  // namespace

// How many pairs the ring should fetch; neither list crosses a multiple of a burst.
unsigned FetchUnit::want(const Ring& ring) const {
  const std::uint64_t position = ring.position(ring.fetched);
  const std::uint64_t offset = position * TERN_DESCRIPTOR_BYTES;
  const auto to_boundary = [offset](std::uint64_t base) {
    return (kBurstBytes - (aligned(base) + offset) % kBurstBytes) / TERN_DESCRIPTOR_BYTES;
  };
  return static_cast<unsigned>(
      std::min<std::uint64_t>({kFetchPairs, ring.tail - ring.fetched, ring.size - position,
                               to_boundary(ring.tx_base), to_boundary(ring.rx_base)}));
}

void FetchUnit::run(std::uint64_t cycle) {
  if (rx_cycle_ != kNever) {
    if (rx_cycle_ == cycle) {
      rx_cycle_ = kNever;
      request(cycle, last_, true);
    }
    state_.wake_at(kFetchStage, cycle + 1);
    return;
  }
  std::uint32_t eligible = 0;
  for (std::uint32_t left = state_.hungry; left != 0; left &= left - 1) {
    const auto r = static_cast<unsigned>(__builtin_ctz(left));
    const Ring& ring = state_.rings[r];
    if (!ring.fetching && ring.room() >= want(ring)) eligible |= 1u << r;
  }
  if (eligible == 0) return;  // a doorbell, an answer or a freed slot wakes it
  last_ = qos::next_after(last_, eligible);
  Ring& ring = state_.rings[last_];
  UnderWay& fetch = under_way_[last_];
  fetch.batch = {last_, ring.generation, want(ring), ring.put, ring.fetched, 0, false};
  const std::uint64_t offset = std::uint64_t{ring.position(ring.fetched)} * TERN_DESCRIPTOR_BYTES;
  fetch.address[0] = aligned(ring.tx_base) + offset;
  fetch.address[1] = aligned(ring.rx_base) + offset;
  fetch.missing[0] = fetch.missing[1] = true;
  ring.fetching = true;
  ++fetches_;
  ring.put += fetch.batch.pairs;
  ring.fetched += fetch.batch.pairs;
  if (ring.fetched == ring.tail) state_.hungry &= ~(1u << last_);
  request(cycle, last_, false);
  rx_cycle_ = cycle + 1;
  state_.wake_at(kFetchStage, cycle + 1);
}

void FetchUnit::request(std::uint64_t cycle, unsigned ring, bool is_rx) {
  Request request;
  request.port = Port::kDescriptors;
  request.cycle = cycle;
  request.address = under_way_[ring].address[is_rx ? 1 : 0];
  request.bytes = under_way_[ring].batch.pairs * TERN_DESCRIPTOR_BYTES;
  request.tag = 2 * ring + (is_rx ? 1 : 0);
  request.traffic_class = state_.rings[ring].traffic_class;
  state_.environment.request(request);
}

bool FetchUnit::answer(std::uint64_t cycle, unsigned tag, Answer answer, const std::uint8_t* data,
                       Batch& batch) {
  const unsigned r = tag / 2, side = tag % 2;
  UnderWay& fetch = under_way_[r];
  Ring& ring = state_.rings[r];
  fetch.missing[side] = false;
  fetch.answer[side] = answer;
  const bool current = fetch.batch.generation == ring.generation;
  if (current && answer == Answer::kGood) {
    for (unsigned i = 0; i < fetch.batch.pairs; ++i) {
      Pair& pair = ring.places[(fetch.batch.place + i) % kPrefetchPairs];
      std::memcpy(side == 0 ? &pair.tx : &pair.rx, data + i * std::size_t{TERN_DESCRIPTOR_BYTES},
                  TERN_DESCRIPTOR_BYTES);
    }
  }
  if (fetch.missing[0] || fetch.missing[1]) return false;
  ring.fetching = false;
  --fetches_;
  state_.wake_at(kFetchStage, cycle + 1);
  if (!current) return false;
  for (const unsigned s : {0u, 1u}) {
    if (fetch.answer[s] == Answer::kGood) continue;
    const bool ecc = fetch.answer[s] == Answer::kUncorrectable;
    state_.stop(cycle, r, ecc ? TERN_DMA_FAULT_ECC : TERN_DMA_FAULT_FETCH,
                ring.position(fetch.batch.index), ecc ? fetch.address[s] : 0);
    return false;
  }
  batch = fetch.batch;
  batch.complete = cycle;
  return true;
}

}  // namespace tern::dma::model

// SPDX-License-Identifier: Apache-2.0
#include "systemc/dma/model/scan.h"

#include <algorithm>

namespace tern::dma::model {

void ScanUnit::add(const Batch& batch) {
  batches_.push_back(batch);
  state_.wake_at(kScanStage, std::max(free_from_, batch.complete + 1));
}

void ScanUnit::run(std::uint64_t cycle) {
  if (batches_.empty()) return;
  Batch& batch = batches_.front();
  const std::uint64_t due = std::max(free_from_, batch.complete + 1);
  if (cycle < due) {
    state_.wake_at(kScanStage, due);
    return;
  }
  if (batch.generation == state_.rings[batch.ring].generation) {
    check(cycle, batch, checked_);
    ++checked_;
    free_from_ = cycle + 1;
  } else {  // its ring stops or was restarted: it only takes its time
    free_from_ = cycle + batch.pairs - checked_;
    checked_ = batch.pairs;
  }
  if (checked_ == batch.pairs) {
    batches_.pop_front();
    checked_ = 0;
  }
  if (!batches_.empty()) {
    state_.wake_at(kScanStage, std::max(free_from_, batches_.front().complete + 1));
  }
}

void ScanUnit::check(std::uint64_t cycle, const Batch& batch, unsigned pair) {
  Ring& ring = state_.rings[batch.ring];
  if (ring.scan_ended) return;
  const std::uint64_t index = batch.index + pair;
  if (ring.scan.packet_ended()) {
    ring.packet_place = batch.place + pair;
    ring.packet_index = index;
  }
  const unsigned phase = batch.pushed || ring.size == 0
                             ? PacketScan::kPushed
                             : static_cast<unsigned>(1 + index / ring.size) % 4;
  const PacketScan::Verdict verdict = ring.scan.check(ring.at(batch.place + pair), phase);
  if (verdict == PacketScan::Verdict::kMore) return;
  ReadyPacket packet;
  static_cast<PacketInfo&>(packet) = ring.scan.packet();
  packet.place = ring.packet_place;
  packet.index = ring.packet_index;
  if (verdict == PacketScan::Verdict::kFault) {
    packet.pairs = static_cast<unsigned>(index - packet.index) + 1;  // the last one is faulty
    packet.bytes = 0;
    // No further scanning or fetching; slots and registers stay until the ring stops.
    ring.scan_ended = true;
    state_.hungry &= ~(1u << batch.ring);
  }
  ring.ready.push(packet);
  state_.ready |= 1u << batch.ring;
  state_.wake_at(kDispatchStage, cycle + 1);
}

}  // namespace tern::dma::model

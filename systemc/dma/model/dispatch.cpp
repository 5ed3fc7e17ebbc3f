// SPDX-License-Identifier: Apache-2.0
#include "systemc/dma/model/dispatch.h"

namespace tern::dma::model {

void Dispatcher::run(std::uint64_t cycle) {
  if (state_.ready == 0) return;
  if (cycle < source_.idle_from()) {
    state_.wake_at(kDispatchStage, source_.idle_from());
    return;
  }
  // Both wake the dispatcher when they change.
  if (state_.table_full() || target_.full()) return;
  const auto chosen = state_.arbiter.pick(cycle, state_.classes.data(), state_.ready);
  const unsigned r = *chosen;
  Ring& ring = state_.rings[r];
  const std::uint64_t entry = state_.newest++;
  Packet& packet = state_.packet(entry);
  packet = Packet();
  static_cast<ReadyPacket&>(packet) = ring.ready.front();
  packet.ring = r;
  packet.traffic_class = ring.traffic_class;
  packet.begin = cycle;
  state_.arbiter.granted(cycle, r, ring.traffic_class, packet.bytes);
  ring.ready.pop();
  if (ring.ready.empty()) state_.ready &= ~(1u << r);
  if (packet.fault != TERN_DMA_FAULT_NONE) {
    source_.occupy(cycle + 2);
    state_.wake_at(kCompletionStage, cycle + 1);
  } else {
    ring.dispatched += packet.pairs;
    packet.number = state_.numbers++;
    source_.take(cycle, entry);
    target_.take(cycle, entry);
  }
  if (state_.ready != 0) state_.wake_at(kDispatchStage, source_.idle_from());
}

}  // namespace tern::dma::model

// SPDX-License-Identifier: Apache-2.0
#include "systemc/dma/model/state.h"

#include <algorithm>

namespace tern::dma::model {

void State::stop(std::uint64_t cycle, unsigned ring_index, unsigned fault, std::uint32_t index,
                 std::uint64_t address) {
  Ring& ring = rings[ring_index];
  if (ring.stopped || (restart_cycle == cycle && (restarting >> ring_index & 1) != 0)) return;
  ring.stopped = true;
  ring.stop_cycle = cycle;
  ring.fault = fault;
  ring.fault_index = index;
  ring.fault_address = address;
  drop(cycle + 1, ring_index);
  environment.ring_stopped(cycle, ring_index, fault, index, address);
}

void State::stop_packet(std::uint64_t cycle, std::uint64_t entry, unsigned fault, unsigned offset,
                        std::uint64_t address) {
  const Packet& stopped = packet(entry);
  if (stopped.dead_from <= cycle) return;
  stop(cycle, stopped.ring, fault, rings[stopped.ring].position(stopped.index + offset), address);
}

void State::drop(std::uint64_t cycle, unsigned ring_index) {
  Ring& ring = rings[ring_index];
  ++ring.generation;
  ring.put = ring.dispatched;
  ring.ready.clear();
  ring.scan.reset();
  hungry &= ~(1u << ring_index);
  ready &= ~(1u << ring_index);
  for (std::uint64_t entry = oldest; entry != newest; ++entry) {
    Packet& dying = packet(entry);
    if (dying.ring == ring_index) dying.dead_from = std::min(dying.dead_from, cycle);
  }
  // A packet that waited for a write tag need not wait any more.
  wake_at(kMoverStage, cycle);
  wake_at(kWriteStage, cycle);
}

void State::read_out(std::uint64_t cycle, std::uint64_t entry) {
  Packet& done = packet(entry);
  if (!done.read_out_once) {
    done.read_out_once = true;
    return;
  }
  rings[done.ring].freed += done.pairs;
  if (hungry != 0) wake_at(kFetchStage, cycle + 1);
}

}  // namespace tern::dma::model

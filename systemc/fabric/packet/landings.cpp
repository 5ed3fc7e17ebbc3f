// SPDX-License-Identifier: Apache-2.0
// What is announced of a network whose links may fail: what lands, once nothing can happen to it.
#include "systemc/fabric/packet/packet_network.h"

namespace tern::fabric::packet {

// Faults come first of all that happens at an instant.
void PacketNetwork::open_instant() {
  open_ = true;
  while (events_.next_time() == now_ &&
         static_cast<Kind>(events_.next().key >> 32 & 15) == Kind::kFault)
    handle(events_.pop());
  announce_landings();
}

void PacketNetwork::announce_landings() {
  auto& landings = fault_mode_->landings;
  while (!landings.empty() && landings.begin()->first <= now_) {
    const auto [time, number] = *landings.begin();
    landings.erase(landings.begin());
    const Flight& flight = fault_mode_->flight(number);
    if (flight.channel == kNone || flight.taken_out || flight.arrives != now_) continue;
    const Train& train = trains_[number];
    if (!train.last || train.hop < flow_of(train).path.size()) continue;
    const Pending& pending = pending_[train.transfer];
    certain(pending.transfer, pending.sent, now_);
  }
}

}  // namespace tern::fabric::packet

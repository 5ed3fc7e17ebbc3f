// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/levels/channel_activity.h"

#include "systemc/fabric/flow/flow_transport.h"
#include "systemc/fabric/packet/packet_network.h"

namespace tern::fabric {

ChannelActivity channel_activity(const Transport& transport) {
  ChannelActivity activity;
  if (const auto* packet = dynamic_cast<const packet::PacketNetwork*>(&transport)) {
    for (std::uint32_t channel = 0; channel < packet->shape().channels.size(); ++channel) {
      activity.busy.push_back(packet->statistics(channel).busy);
      activity.stalled.push_back(packet->statistics(channel).credit_stall);
    }
  } else if (const auto* flow = dynamic_cast<const FlowTransport*>(&transport)) {
    activity.busy = flow->busy();
  }
  return activity;
}

}  // namespace tern::fabric

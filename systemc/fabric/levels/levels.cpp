// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/levels/levels.h"

#include "sw/base/user_error.h"
#include "systemc/fabric/flow/flow_transport.h"
#include "systemc/fabric/ideal/ideal_transport.h"
#include "systemc/fabric/packet/packet_network.h"

namespace tern::fabric {

const std::vector<std::string>& level_names() {
  static const std::vector<std::string> names = {"packet", "flow", "ideal"};
  return names;
}

void check_level(const std::string& level, const system::Fabric& fabric) {
  if (fabric.config().scale_out.units > 1 && level != "flow" && level != "ideal")
    throw UserError("--level " + level +
                    ": not of several units, whose network has no queues: flow or ideal");
}

std::unique_ptr<Transport> make_transport(const std::string& level, const system::Fabric& fabric) {
  check_level(level, fabric);
  if (level == "packet") return std::make_unique<packet::PacketNetwork>(fabric);
  if (level == "flow") return std::make_unique<FlowTransport>(fabric);
  if (level == "ideal") return std::make_unique<IdealTransport>(fabric);
  throw UserError("no level of detail '" + level + "'");
}

std::unique_ptr<Transport> make_transport(const std::string& level, faults::FaultState& faults) {
  if (level == "packet") return std::make_unique<packet::PacketNetwork>(faults);
  if (level == "flow") return std::make_unique<FlowTransport>(faults);
  throw UserError("not at level " + level + ", which has no links to break: packet or flow");
}

}  // namespace tern::fabric

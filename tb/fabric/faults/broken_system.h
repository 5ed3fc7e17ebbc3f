// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "sw/system/fabric.h"
#include "systemc/fabric/faults/fault_script.h"
#include "systemc/fabric/faults/fault_state.h"
#include "tb/common/temp_folder.h"

namespace tern::tb {

// PCIe 6.0, 64 GB/s a link of 8 lanes. A train of 4 KiB takes 73.763 ns of it.
inline system::Fabric system_of(const std::string& yaml) {
  const TempFolder folder;
  return system::Fabric(system::load_system(
      folder.put("my.yaml", "name: small\nlane_gb_per_s: 8\nchip_lanes: 64\n" + yaml).string()));
}
inline system::Fabric two_chips(const std::string& more = "") {
  return system_of("chips_per_tray: 2\ntray_lanes: 8\n" + more);
}
inline system::Fabric ring_of_four() {
  return system_of("chips_per_tray: 4\ntorus: {size: [4], lanes: [8]}\n");
}
// Chip 0 and 1 on different trays, each with 8 lanes to each of two switches, 4 of 16 redundant.
inline system::Fabric two_switches() {
  return system_of(
      "trays: 2\nrack_switches: {planes: 1, switches: 2, lanes: 16, ports: 2, link_lanes: 8, "
      "active_lanes: 12}\n");
}

// faults: lines of a script.
inline fabric::faults::FaultScript script_of(const std::string& faults,
                                             const system::Fabric& fabric) {
  const TempFolder folder;
  return fabric::faults::load_fault_script(folder.put("faults.yaml", faults).string(), fabric);
}
inline fabric::faults::FaultState state_of(const std::string& faults, const system::Fabric& fabric,
                                           std::uint64_t seed = 0) {
  return {fabric, script_of("faults:\n" + faults, fabric), seed};
}

}  // namespace tern::tb

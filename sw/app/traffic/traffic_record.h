// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sw/app/report/report.h"
#include "sw/app/system/link_use.h"
#include "sw/app/traffic/traffic_command.h"
#include "sw/system/fabric.h"
#include "systemc/fabric/faults/fault_state.h"
#include "systemc/fabric/traffic/pattern.h"
#include "systemc/fabric/traffic/traffic_run.h"

namespace tern::app {

// What `tern traffic` has measured.
struct TrafficRecord {
  std::vector<fabric::Traffic> patterns;
  std::string level;
  fabric::TrafficResult result;
  std::optional<fabric::Time> bound;          // none with faults, which change the routes
  std::optional<fabric::TrafficResult> flow;  // of the flow level, next to that of packets
  LinkUse use;
};

// "incast of 64K, level packet": below the heat map's title.
std::string note_of(const TrafficRecord& record);

// faults: null: there are none.
Report report_of(const TrafficRecord& record, const system::Fabric& fabric,
                 const fabric::faults::FaultState* faults, const TrafficOptions& options);
// The last parts of its page, after all tables of the terminal: pictures, histograms, data files.
void add_sections(const TrafficRecord& record, const system::Fabric& fabric, Report* report);

}  // namespace tern::app

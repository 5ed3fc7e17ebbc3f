// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/app/report/report.h"
#include "systemc/fabric/faults/fault_state.h"

namespace tern::app {

// What became of the faults of a script, and what was observed, by link.
void add_faults(const fabric::faults::FaultState& state, Report* report);

}  // namespace tern::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/app/report/report.h"
#include "systemc/fabric/faults/fault_state.h"

namespace tern::app {

// What became of the faults of a script, and what was observed, by link. Times from the state's
// origin.
void add_faults(const fabric::faults::FaultState& state, Report* report);

// Of transfers that were lost: links out of service on their ways, and the faults that did that.
std::string reason_of_losses(const fabric::faults::FaultState& state);

}  // namespace tern::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sw/system/fabric.h"
#include "systemc/fabric/faults/fault_state.h"
#include "systemc/fabric/transport.h"

namespace tern::fabric {

// "packet", "flow", "ideal": from the finest to the coarsest.
const std::vector<std::string>& level_names();
// Throws UserError with the name of its option: at this level, or at level cores or both, the
// system has no model.
void check_level(const std::string& level, const system::Fabric& fabric);
// Of one of these names. It may borrow the system.
std::unique_ptr<Transport> make_transport(const std::string& level, const system::Fabric& fabric);
// With faults. Throws UserError: the level has nothing that breaks.
std::unique_ptr<Transport> make_transport(const std::string& level, faults::FaultState& faults);

}  // namespace tern::fabric

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/system/fabric.h"
#include "systemc/fabric/traffic/pattern.h"
#include "systemc/fabric/transport.h"

namespace tern::fabric {

// Patterns that share a network: transfers, and when each is sent.
struct Mix {
  std::vector<Transfer> transfers;
  std::vector<Time> sent;
};

// Each pattern has streams of its own: of two chips it waits for the others' only where links are
// shared. The rounds of one are in order. Throws UserError, as transfers_of() does.
Mix mix_of(const std::vector<Traffic>& patterns, const system::Fabric& fabric);

}  // namespace tern::fabric

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/system/fabric.h"

namespace tern::app {

// The chips of a group as a user names them, in the order of their ranks: "all", or a list of
// numbers, ranges and names: "0-15", "rack0", "server0.tray2,server0.tray5.chip0". cores: ranks of
// each. Throws UserError.
std::vector<std::uint32_t> group_of(const system::Fabric& fabric, const std::string& text,
                                    unsigned cores);

}  // namespace tern::app

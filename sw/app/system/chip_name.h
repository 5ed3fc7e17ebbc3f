// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sw/system/fabric.h"

namespace tern::app {

// A chip as a user names it: "17", or "rack0.tray4.chip1". Throws UserError.
std::uint32_t chip_named(const system::Fabric& fabric, const std::string& name);

}  // namespace tern::app

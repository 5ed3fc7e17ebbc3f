// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sw/app/report/blocks.h"
#include "sw/app/report/energy.h"

namespace tern::app {

// "12.3 uJ, 265 W on average, 410 W at most (estimate: docs/energy.md)".
std::string energy_text(const EnergyUse& use);
// A row per block, and the power over time.
Section energy_section(const EnergyUse& use);
nlohmann::ordered_json json_of(const EnergyUse& use);

}  // namespace tern::app

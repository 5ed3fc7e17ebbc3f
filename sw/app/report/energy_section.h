// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sw/app/report/blocks.h"
#include "sw/app/report/energy.h"

namespace tern::app {

// "estimate: 1.13 mJ of work, 10.10 mJ idle; 269 W on average, at most 288 W for 0.10 us".
std::string energy_text(const EnergyUse& use);
// A row per block, and the power over time.
Section energy_section(const EnergyUse& use);
nlohmann::ordered_json json_of(const EnergyUse& use);

}  // namespace tern::app

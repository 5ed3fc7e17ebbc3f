// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "sw/live/live_state.h"

namespace tern::app {

// A line of `tern monitor` (docs/reference/monitor.md). before: the states of the line before, for
// what happened since; empty for the first one. period_s: of wall time between them.
nlohmann::ordered_json monitor_json(const std::vector<live::State>& now,
                                    const std::vector<live::State>& before, double period_s);

}  // namespace tern::app

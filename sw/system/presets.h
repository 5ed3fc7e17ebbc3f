// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/config/presets.h"

namespace tern::system {

// presets/*.yaml, in the order of their names.
const std::vector<config::EmbeddedPreset>& system_presets();

}  // namespace tern::system

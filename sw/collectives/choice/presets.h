// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/config/presets.h"

namespace tern::collectives {

// presets/*.yaml: the one table.
const std::vector<config::EmbeddedPreset>& choice_presets();

}  // namespace tern::collectives

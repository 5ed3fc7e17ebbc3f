// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/config/presets.h"

namespace tern::mgmt {

// The files of systemc/mgmt/board/presets; the first one is the default.
const std::vector<config::EmbeddedPreset>& board_presets();

}  // namespace tern::mgmt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace tern::mgmt {

// A file of systemc/mgmt/board/presets, compiled in so that the binary works from any folder.
struct BoardPreset {
  std::string_view name;  // "mgmt"
  std::string_view file;  // "systemc/mgmt/board/presets/mgmt.yaml"
  std::string_view text;
};

const std::vector<BoardPreset>& board_presets();

}  // namespace tern::mgmt

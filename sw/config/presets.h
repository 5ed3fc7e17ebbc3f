// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace tern::config {

// A file of a folder presets, compiled in so that the binary works from any folder.
struct EmbeddedPreset {
  std::string_view name;  // "trn3"
  std::string_view file;  // "sw/config/presets/trn3.yaml"
  std::string_view text;
};

const std::vector<EmbeddedPreset>& embedded_presets();

}  // namespace tern::config

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/config/yaml_reader.h"

namespace tern::config {

// One key of a chip file and how its value reaches the configuration.
struct ChipField {
  std::string key;  // dotted
  std::function<void(const YamlValue&, ChipConfig&)> set;
};

// All keys except `preset` and `tensor`, which need more than one value to resolve.
const std::vector<ChipField>& chip_schema();

}  // namespace tern::config

// SPDX-License-Identifier: Apache-2.0
#include "sw/app/plan/chips_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sw/app/kinds/operands.h"

namespace tern::app {

using config::YamlValue;

system::SystemConfig system_of(const YamlValue& value) {
  const std::vector<std::string> presets = system::system_names();
  const std::string text = value.as_string();
  const bool preset = std::find(presets.begin(), presets.end(), text) != presets.end();
  if (preset) return system::load_system(text);
  return read_named(value, [](const std::string& path) { return system::load_system(path); });
}

std::vector<std::uint32_t> chips_of(const YamlValue& value, const system::Fabric& fabric,
                                    unsigned most) {
  most = std::min(most, fabric.chips());
  std::vector<std::uint32_t> chips;
  if (!value.is_list()) {
    const auto count = static_cast<std::uint32_t>(value.as_integer(1, most));
    for (std::uint32_t chip = 0; chip < count; ++chip) chips.push_back(chip);
    return chips;
  }
  for (const YamlValue& item : value.as_list()) {
    const auto found = fabric.find(item.as_string());
    if (!found || *found >= fabric.chips())
      item.fail(fmt::format("the name of a chip of {}", fabric.config().name));
    if (std::find(chips.begin(), chips.end(), *found) != chips.end()) item.fail("each chip once");
    chips.push_back(*found);
  }
  if (chips.empty() || chips.size() > most) value.fail(fmt::format("from 1 to {} chips", most));
  return chips;
}

}  // namespace tern::app

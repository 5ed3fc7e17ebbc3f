// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sw/config/load_chip_config.h"

namespace tern::app {

struct Report;
struct Section;

struct ChipValue : ConfigValue {
  std::optional<std::string> in_preset;  // the preset's own value, where this one differs
};

// Every setting of the chip that ran, so that a report stands on its own.
struct ChipValues {
  std::string chip;                      // as asked for: preset or file
  std::string preset;                    // that it builds on; empty: none
  std::vector<ConfigOverride> settings;  // of a comparison: those of this run
  std::vector<ChipValue> values;         // every key once, in the order of the schema
};

ChipValues chip_values(const std::string& chip, const std::vector<ConfigOverride>& overrides);

// As `tern config show --json` has it; a key `preset` where the value differs from the preset's.
nlohmann::ordered_json json_of(const ChipValue& value);
// "dma.clock_ghz": "1.4", ...
nlohmann::ordered_json json_of(const std::vector<ConfigOverride>& overrides);
// The keys of a report's chips: "config", or "configs" where there may be several. Of the second
// chip and further ones, only the values that differ from the first one's.
void add_chips(const Report& report, nlohmann::ordered_json* data);
// For people: what differs from the preset first, then the rest.
Section chips_section(const Report& report);

}  // namespace tern::app

// SPDX-License-Identifier: Apache-2.0
// tern config show | validate
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "sw/app/cli/options.h"
#include "sw/app/report/chip_values.h"
#include "sw/app/report/json_text.h"
#include "sw/app/report/style.h"
#include "sw/app/report/text.h"
#include "sw/base/user_error.h"

namespace tern::app {

int config_show(const ConfigOptions& options) {
  const ResolvedConfig config = load_chip_config(options.chips.front(), options.overrides);
  if (options.json) {
    nlohmann::ordered_json j = nlohmann::ordered_json::array();
    for (const auto& v : config.values) j.push_back(json_of(ChipValue{v, std::nullopt}));
    fmt::print("{}", json_text(j));
    return 0;
  }
  std::size_t key = 0, value = 0, source = 0;
  for (const auto& v : config.values) {
    key = std::max(key, v.key.size());
    value = std::max(value, v.value.size());
    source = std::max(source, v.source.size());
  }
  const Style style(coloured_output());
  for (const auto& v : config.values) {
    fmt::print("{:<{}}  {:>{}}  {}{:<{}}  {}{}\n", v.key, key, printable(v.value), value, style.dim,
               printable(v.source), source, printable(v.comment), style.off);
  }
  return 0;
}

int config_diff(const ConfigOptions& options) {
  const ResolvedConfig a = load_chip_config(options.chips.at(0), options.overrides);
  const ResolvedConfig b = load_chip_config(options.chips.at(1), options.overrides);
  std::map<std::string, std::string> values_b;
  for (const ConfigValue& value : b.values) values_b[value.key] = value.value;
  std::vector<std::array<std::string, 3>> rows = {{"", options.chips[0], options.chips[1]}};
  for (const ConfigValue& value : a.values) {
    const auto other = values_b.find(value.key);
    if (other == values_b.end() || other->second != value.value)
      rows.push_back({value.key, value.value, other == values_b.end() ? "-" : other->second});
    if (other != values_b.end()) values_b.erase(other);
  }
  for (const auto& [key, value] : values_b) rows.push_back({key, "-", value});
  if (options.json) {
    nlohmann::ordered_json j = nlohmann::ordered_json::array();
    for (std::size_t i = 1; i < rows.size(); ++i)
      j.push_back({{"key", rows[i][0]}, {"a", rows[i][1]}, {"b", rows[i][2]}});
    fmt::print("{}", json_text(j));
    return 0;
  }
  std::array<std::size_t, 3> width{};
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  const Style style(coloured_output());
  for (const auto& row : rows) {
    const bool head = &row == &rows.front();
    fmt::print("{}{:<{}}  {:>{}}  {:>{}}{}\n", head ? style.dim : "", row[0], width[0],
               printable(row[1]), width[1], row[2], width[2], head ? style.off : "");
  }
  if (rows.size() == 1) fmt::print("no setting differs\n");
  return 0;
}

int config_validate(const ConfigOptions& options) {
  for (const auto& chip : options.chips) {
    const ResolvedConfig config = load_chip_config(chip, options.overrides);
    for (const std::string& warning : config.warnings) fmt::print("{}\n", printable(warning));
    fmt::print("{}: valid, {} settings\n", printable(chip), config.values.size());
  }
  return 0;
}

}  // namespace tern::app

// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/chip_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "sw/app/report/report.h"

namespace tern::app {
namespace {

using Json = nlohmann::ordered_json;

// Of several chips, what the first one does not say already.
std::vector<ChipValue> new_values(const Report& report, std::size_t chip) {
  const std::vector<ChipValue>& own = report.chips[chip].values;
  if (chip == 0) return own;
  std::map<std::string, std::string> first;
  for (const ChipValue& value : report.chips.front().values) first[value.key] = value.value;
  std::vector<ChipValue> values;
  for (const ChipValue& value : own) {
    const auto found = first.find(value.key);
    if (found == first.end() || found->second != value.value) values.push_back(value);
  }
  return values;
}

std::string title_of(const ChipValues& chip) {
  std::string title = chip.chip;
  for (const ConfigOverride& setting : chip.settings)
    title += fmt::format(", {}={}", setting.key, setting.value);
  return title;
}

Table table_of(const std::vector<ChipValue>& values, const std::string& preset) {
  Table table{{{"key"}, {"value", Column::kNumber}}, {}};
  const bool differs = std::any_of(values.begin(), values.end(),
                                   [](const ChipValue& v) { return v.in_preset.has_value(); });
  if (differs) table.columns.push_back({"in " + preset, Column::kNumber});
  table.columns.push_back({"from"});
  table.columns.push_back({"source of the number"});
  for (const bool changed : {true, false}) {
    for (const ChipValue& v : values) {
      if (v.in_preset.has_value() != changed) continue;
      Row row = {v.key, v.value};
      if (differs) row.emplace_back(v.in_preset.value_or(""));
      row.insert(row.end(), {{v.source, Cell::kDim}, {v.comment, Cell::kDim}});
      table.rows.push_back(row);
    }
  }
  return table;
}

}  // namespace

ChipValues chip_values(const std::string& chip, const std::vector<ConfigOverride>& overrides) {
  const ResolvedConfig config = load_chip_config(chip, overrides);
  ChipValues result{chip, config.preset, {}, {}};
  std::map<std::string, std::string> of_preset;
  if (!config.preset.empty()) {
    for (const ConfigValue& value : load_chip_config(config.preset).values)
      of_preset[value.key] = value.value;
  }
  for (const ConfigValue& value : config.values) {
    const auto found = of_preset.find(value.key);
    result.values.push_back({value, std::nullopt});
    // A key that the preset lacks is one of a single core: "tensor.0".
    const std::string theirs = found != of_preset.end() ? found->second : "";
    if (!config.preset.empty() && theirs != value.value) result.values.back().in_preset = theirs;
  }
  return result;
}

Json json_of(const ChipValue& v) {
  Json j = {{"key", v.key}, {"value", v.value}, {"source", v.source}, {"comment", v.comment}};
  if (v.in_preset) j["preset"] = *v.in_preset;
  return j;
}

Json json_of(const std::vector<ConfigOverride>& overrides) {
  Json j = Json::object();
  for (const ConfigOverride& setting : overrides) j[setting.key] = setting.value;
  return j;
}

void add_chips(const Report& report, Json* data) {
  const auto list = [](const std::vector<ChipValue>& values) {
    Json j = Json::array();
    for (const ChipValue& value : values) j.push_back(json_of(value));
    return j;
  };
  if (!report.several_chips) {
    if (report.chips.empty()) return;
    (*data)["preset"] = report.chips.front().preset;
    (*data)["config"] = list(report.chips.front().values);
    return;
  }
  (*data)["configs"] = Json::array();
  for (std::size_t c = 0; c < report.chips.size(); ++c) {
    const ChipValues& chip = report.chips[c];
    (*data)["configs"].push_back({{"chip", chip.chip},
                                  {"preset", chip.preset},
                                  {"settings", json_of(chip.settings)},
                                  {"values", list(new_values(report, c))}});
  }
}

Section chips_section(const Report& report) {
  Section section(report.chips.size() == 1 ? "The chip" : "The chips", "", Section::kFiles);
  for (std::size_t c = 0; c < report.chips.size(); ++c) {
    const ChipValues& chip = report.chips[c];
    const auto changed = std::count_if(chip.values.begin(), chip.values.end(),
                                       [](const ChipValue& v) { return v.in_preset.has_value(); });
    const std::string what =
        chip.preset.empty() ? title_of(chip)
        : changed == 0
            ? fmt::format("{}: the preset {}", title_of(chip), chip.preset)
            : fmt::format("{}: {} value{} differ{} from the preset {}", title_of(chip), changed,
                          changed == 1 ? "" : "s", changed == 1 ? "s" : "", chip.preset);
    section.add(Paragraph{what + "."});
    const std::vector<ChipValue> values = new_values(report, c);
    if (values.empty()) continue;
    const std::string more = c == 0 ? "" : ", those that differ from the first chip's";
    section.add(Folded{fmt::format("Chip values{}", more), {table_of(values, chip.preset)}});
  }
  return section;
}

}  // namespace tern::app

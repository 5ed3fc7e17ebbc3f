// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/choice/choice_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sw/base/user_error.h"
#include "sw/collectives/choice/presets.h"
#include "sw/config/yaml_reader.h"

namespace tern::collectives {

namespace {

using config::YamlMap;
using config::YamlValue;

using Level = GroupLayout::Level;

// In the order of Level.
const std::vector<std::string>& level_names() {
  static const std::vector<std::string> names = {"flow", "packet", "cores"};
  return names;
}

constexpr std::size_t kMostGroups = 10000, kMostRules = 1000, kMostAxes = 8, kMostCharacters = 255;

double ranks_of(const std::vector<unsigned>& axes) {
  return std::accumulate(axes.begin(), axes.end(), 1.0, std::multiplies<>());
}

std::vector<unsigned> axes_of(const YamlValue& value) {
  std::vector<unsigned> axes;
  for (const YamlValue& axis : value.as_list())
    axes.push_back(static_cast<unsigned>(axis.as_integer(1, Problem::kMostRanks)));
  if (axes.empty() || axes.size() > kMostAxes || ranks_of(axes) > Problem::kMostRanks)
    value.fail(fmt::format("1 to {} axes of {} ranks at most", kMostAxes, Problem::kMostRanks));
  return axes;
}

}  // namespace

Level GroupLayout::level_of(const std::string& name) {
  const auto& names = level_names();
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? Level::kFlow : static_cast<Level>(found - names.begin());
}

std::string GroupLayout::text() const {
  const std::vector<unsigned> sizes(axes.begin(), axes.end());
  return fmt::format("{}{}", torus ? "torus " : "", fmt::join(sizes, "x"));
}

const ChoiceTable& ChoiceTable::builtin() {
  static const ChoiceTable table = [] {
    const config::EmbeddedPreset& file = choice_presets().front();
    return parse(std::string(file.text), std::string(file.file));
  }();
  return table;
}

ChoiceTable ChoiceTable::load(const std::string& path) {
  return parse(YamlMap::from_file(path));
}

ChoiceTable ChoiceTable::parse(const std::string& text, const std::string& shown) {
  return parse(YamlMap::from_text(text, shown));
}

ChoiceTable ChoiceTable::parse(const config::YamlMap& top) {
  ChoiceTable table;
  const YamlValue groups = top.get("groups");
  for (const YamlValue& item : groups.as_list()) {
    if (table.groups_.size() == kMostGroups)
      item.fail(fmt::format("at most {} groups", kMostGroups));
    const YamlMap map = item.as_map();
    Group group;
    if (const auto system = map.find("system")) group.system = system->as_string();
    if (group.system.size() > kMostCharacters)
      map.get("system").fail(fmt::format("at most {} characters", kMostCharacters));
    if (const auto torus = map.find("torus")) group.torus = torus->as_bool();
    if (const auto units = map.find("units")) group.units = units->as_bool();
    if (const auto level = map.find("level"))
      group.level = static_cast<Level>(level->as_index(level_names()));
    group.axes = axes_of(map.get("axes"));
    if (const auto sizes = map.find("sizes")) {
      const std::vector<YamlValue> ends = sizes->as_list();
      if (ends.size() != 2) sizes->fail("expected the first and the last size that were measured");
      group.first = static_cast<std::uint64_t>(ends[0].as_integer(0, INT64_MAX));
      group.last = static_cast<std::uint64_t>(
          ends[1].as_integer(static_cast<std::int64_t>(group.first), INT64_MAX));
    }
    for (std::size_t op = 0; op < operation_names().size(); ++op) {
      const auto list = map.find(operation_names()[op]);
      if (!list) continue;
      std::vector<Rule>& rules = group.rules[static_cast<Operation>(op)];
      const std::vector<std::string> names = algorithms_of(static_cast<Operation>(op));
      for (const YamlValue& entry : list->as_list()) {
        if (rules.size() == kMostRules) entry.fail(fmt::format("at most {} sizes", kMostRules));
        const YamlMap rule_map = entry.as_map();
        Rule rule;
        if (const auto size = rule_map.find("up_to"))
          rule.up_to = static_cast<std::uint64_t>(size->as_integer(0, INT64_MAX));
        rule.algorithm = names[rule_map.get("algorithm").as_index(names)];
        if (!rules.empty() && rules.back().up_to >= rule.up_to)
          entry.fail("sizes that rise; the last one without up_to");
        rules.push_back(rule);
      }
      if (rules.empty()) list->fail("one algorithm at least");
    }
    table.groups_.push_back(std::move(group));
  }
  if (table.groups_.empty()) groups.fail("one group at least");
  top.finish();
  return table;
}

// What runs it first, then kind and number of axes, then the number of ranks: another system is as
// far as eight times the ranks, an unnamed one as twice. The other level of a network is nearer
// than other sizes.
double ChoiceTable::distance(const Group& of, const GroupLayout& group) {
  const std::vector<unsigned> sizes(group.axes.begin(), group.axes.end());
  constexpr double kOtherLevel = 1e6, kOtherKind = 1000, kOtherAxes = 100, kOtherSystem = 3,
                   kNoSystem = 1, kOtherSizes = 0.5, kOtherDetail = 0.25;
  const bool cores = group.level == Level::kCores;
  return ((of.level == Level::kCores) == cores ? 0 : kOtherLevel) +
         (of.level == group.level ? 0 : kOtherDetail) + (of.torus == group.torus ? 0 : kOtherKind) +
         (of.units == group.units ? 0 : kOtherKind) +
         (of.axes.size() == sizes.size() ? 0 : kOtherAxes) +
         (of.system == group.system ? 0
          : of.system.empty()       ? kNoSystem
                                    : kOtherSystem) +
         (of.axes == sizes ? 0 : kOtherSizes) +
         std::fabs(std::log2(ranks_of(of.axes) / ranks_of(sizes)));
}

std::string ChoiceTable::likeness(const Group& of, const GroupLayout& group) {
  const std::vector<unsigned> sizes(group.axes.begin(), group.axes.end());
  if ((of.system.empty() || of.system == group.system) && of.axes == sizes &&
      of.torus == group.torus && of.units == group.units && of.level == group.level)
    return "";
  GroupLayout like;
  like.torus = of.torus;
  like.axes.assign(of.axes.begin(), of.axes.end());
  std::string text = like.text();
  if (!of.system.empty()) text += " of " + of.system;
  if (of.level != group.level)
    text += " at level " + level_names()[static_cast<std::size_t>(of.level)];
  return text;
}

std::optional<ChoiceTable::Choice> ChoiceTable::find(const Problem& problem,
                                                     const GroupLayout& group,
                                                     std::uint64_t bytes) const {
  const std::vector<std::string> possible = algorithms_for(problem, group.axes);
  std::vector<std::pair<double, const Group*>> near;
  for (const Group& of : groups_) {
    if (of.rules.count(problem.operation) > 0) near.emplace_back(distance(of, group), &of);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& entry : near) {
    const std::vector<Rule>& rules = entry.second->rules.at(problem.operation);
    for (const Rule& rule : rules) {
      if ((bytes <= rule.up_to || &rule == &rules.back()) &&
          std::find(possible.begin(), possible.end(), rule.algorithm) != possible.end())
        return Choice{rule.algorithm, likeness(*entry.second, group), entry.second->first,
                      entry.second->last};
    }
  }
  return std::nullopt;
}

std::string ChoiceTable::choose(const Problem& problem, const GroupLayout& group,
                                std::uint64_t bytes) const {
  const auto found = find(problem, group, bytes);
  return found ? found->algorithm : algorithms_for(problem, group.axes).front();
}

}  // namespace tern::collectives

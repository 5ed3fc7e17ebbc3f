// SPDX-License-Identifier: Apache-2.0
#include "tb/testplan/plan.h"

#include "sw/config/yaml_reader.h"

namespace tern::testplan {

namespace {

using config::YamlMap;
using config::YamlValue;

std::vector<Entry> entries(const YamlMap& map, const std::string& key) {
  std::vector<Entry> result;
  if (const auto list = map.find(key)) {
    for (const YamlValue& value : list->as_list()) {
      result.push_back({value.as_string(), value.source()});
    }
  }
  return result;
}

Feature feature_of(const YamlMap& map) {
  Feature feature;
  const YamlValue name = map.get("feature");
  feature.name = name.as_string();
  feature.where = name.source();
  feature.intent = map.get("intent").as_string();
  feature.tests = entries(map, "tests");
  feature.faults = entries(map, "faults");
  return feature;
}

}  // namespace

Plan parse_plan(const std::string& text, const std::string& file) {
  const YamlMap top = YamlMap::from_text(text, file);
  Plan plan;
  plan.file = file;
  const std::size_t slash = file.rfind('/');
  plan.folder = slash == std::string::npos ? "" : file.substr(0, slash);
  const YamlValue block = top.get("block");
  plan.block = {block.as_string(), block.source()};
  plan.contract = entries(top, "contract");
  plan.rtl = entries(top, "rtl");
  for (const YamlValue& value : top.get("features").as_list()) {
    plan.features.push_back(feature_of(value.as_map()));
  }
  top.finish();
  return plan;
}

bool fits(const std::string& pattern, const std::string& name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string::npos) return pattern == name;
  if (name.compare(0, star, pattern, 0, star) != 0) return false;
  const std::string rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= name.size(); ++at) {
    if (fits(rest, name.substr(at))) return true;
  }
  return false;
}

}  // namespace tern::testplan

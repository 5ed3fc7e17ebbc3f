// SPDX-License-Identifier: Apache-2.0
#include "sw/system/system_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sw/base/user_error.h"
#include "sw/config/load_chip_config.h"
#include "sw/config/yaml_reader.h"
#include "sw/system/presets.h"
#include "sw/system/read_keys.h"

namespace tern::system {

namespace {

using config::YamlMap;
using config::YamlValue;

constexpr std::int64_t kMostLanes = 4096, kMostPorts = 1024;
constexpr std::int64_t kMostInPlane = 1024;  // switches; of a tray, too
constexpr std::size_t kMostAxes = 4, kMostCables = 100000, kMostItems = 1000;

Source source_of(const YamlValue& value) {
  return fmt::format("{}: key '{}'", value.source(), value.key());
}

unsigned whole(const YamlValue& value, std::int64_t least, std::int64_t most) {
  return static_cast<unsigned>(value.as_integer(least, most));
}

std::vector<unsigned> numbers(const YamlValue& value, std::int64_t most) {
  std::vector<unsigned> result;
  for (const YamlValue& one : value.as_list()) result.push_back(whole(one, 1, most));
  if (result.empty() || result.size() > kMostAxes)
    value.fail(fmt::format("1 to {} numbers", kMostAxes));
  return result;
}

Torus read_torus(const YamlValue& value) {
  const YamlMap map = value.as_map();
  Torus torus;
  torus.source = source_of(value);
  torus.size = numbers(map.get("size"), SystemConfig::kMostChips);
  const YamlValue lanes = map.get("lanes");
  torus.lanes = numbers(lanes, kMostLanes);
  if (torus.lanes.size() != torus.size.size())
    lanes.fail(fmt::format("{} numbers, one for each axis", torus.size.size()));
  return torus;
}

RackSwitches read_rack_switches(const YamlValue& value) {
  const YamlMap map = value.as_map();
  RackSwitches s;
  s.source = source_of(value);
  s.planes = whole(map.get("planes"), 1, 64);
  s.switches = whole(map.get("switches"), 1, kMostInPlane);
  s.lanes = whole(map.get("lanes"), 1, kMostLanes);
  s.ports = whole(map.get("ports"), 1, kMostPorts);
  s.link_lanes = whole(map.get("link_lanes"), 1, kMostLanes);
  s.active_lanes = s.switches * s.link_lanes;
  if (const auto v = map.find("active_lanes")) s.active_lanes = whole(*v, 1, s.active_lanes);
  return s;
}

TraySwitches read_tray_switches(const YamlValue& value) {
  const YamlMap map = value.as_map();
  TraySwitches s;
  s.source = source_of(value);
  s.switches = whole(map.get("switches"), 1, kMostInPlane);
  s.lanes = whole(map.get("lanes"), 1, kMostLanes);
  s.ports = whole(map.get("ports"), 1, kMostPorts);
  s.link_lanes = whole(map.get("link_lanes"), 1, kMostLanes);
  return s;
}

// lanes: a number, or what each end says, which must be the same.
Cable read_cable(const YamlValue& value) {
  const YamlMap map = value.as_map();
  Cable cable;
  cable.source = source_of(value);
  cable.from = map.get("from").as_string();
  cable.to = map.get("to").as_string();
  const YamlValue lanes = map.get("lanes");
  if (!lanes.is_list()) {
    cable.lanes = whole(lanes, 1, kMostLanes);
    return cable;
  }
  const std::vector<unsigned> ends = numbers(lanes, kMostLanes);
  if (ends.size() != 2 || ends[0] != ends[1]) lanes.fail("the same number of lanes at both ends");
  cable.lanes = ends[0];
  return cable;
}

std::vector<YamlValue> list_of(const YamlValue& value, std::size_t most) {
  std::vector<YamlValue> list = value.as_list();
  if (list.size() > most) value.fail(fmt::format("at most {} entries", most));
  return list;
}

void read_keys(const YamlMap& map, SystemConfig* c);

const config::EmbeddedPreset* find_preset(const std::string& name) {
  for (const config::EmbeddedPreset& preset : system_presets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

SystemConfig from_preset(const config::EmbeddedPreset& preset) {
  const YamlMap map = YamlMap::from_text(std::string(preset.text), std::string(preset.file));
  SystemConfig c;
  c.name = std::string(preset.name);
  c.source = map.source();
  read_keys(map, &c);
  map.finish();
  return c;
}

void read_shape(const YamlMap& map, SystemConfig* c) {
  read_whole(map, "groups", 1, 1024, &c->groups);
  read_whole(map, "trays", 1, 1024, &c->trays);
  read_whole(map, "chips_per_tray", 1, 64, &c->chips_per_tray);
  if (std::uint64_t{c->groups} * c->trays * c->chips_per_tray > SystemConfig::kMostChips)
    throw UserError(fmt::format("{}: {} chips, at most {}", map.source(),
                                std::uint64_t{c->groups} * c->trays * c->chips_per_tray,
                                SystemConfig::kMostChips));
}

void read_keys(const YamlMap& map, SystemConfig* c) {
  if (const auto v = map.find("title")) c->title = v->as_string();
  if (const auto v = map.find("chip")) c->chip = v->as_choice(preset_names());
  if (const auto v = map.find("lane_gb_per_s")) c->lane_gb_per_s = v->as_number(0.001, 10000);
  if (const auto v = map.find("chip_lanes")) {
    c->chip_lanes = whole(*v, 1, kMostLanes);
    c->chip_lanes_source = source_of(*v);
  }
  if (const auto v = map.find("group")) c->group = v->as_choice({"rack", "server"});
  read_shape(map, c);
  // A file that names one replaces all that its preset says of it.
  if (const auto v = map.find("torus")) c->torus = read_torus(*v);
  if (const auto v = map.find("rack_switches")) c->rack_switches = read_rack_switches(*v);
  read_whole(map, "tray_lanes", 0, kMostLanes, &c->tray_lanes);
  if (const auto v = map.find("tray_switches")) c->tray_switches = read_tray_switches(*v);
  read_whole(map, "cross_lanes", 0, kMostLanes, &c->cross_lanes);
  if (const auto v = map.find("cables")) {
    c->cables.clear();
    for (const YamlValue& one : list_of(*v, kMostCables)) c->cables.push_back(read_cable(one));
  }
  if (const auto v = map.find("collectives")) {
    const YamlMap times = v->as_map();
    if (const auto step = times.find("step_ns")) c->collectives.step_ns = step->as_number(0, 1e6);
    if (const auto wake = times.find("wake_ns")) c->collectives.wake_ns = wake->as_number(0, 1e6);
    if (const auto local = times.find("local_gb_per_s"))
      c->collectives.local_gb_per_s = local->as_number(0.001, 1e6);
  }
  c->link = read_link(map.find("link"), c->lane_gb_per_s, c->link);
  if (const auto v = map.find("scale_out")) c->scale_out = read_scale_out(*v, c->scale_out);
  if (const auto v = map.find("bill")) {
    c->bill.clear();
    for (const YamlValue& one : list_of(*v, kMostItems)) {
      const YamlMap item = one.as_map();
      c->bill.push_back({item.get("item").as_string(), item.get("value").as_string(),
                         item.get("source").as_string()});
    }
  }
}

// What a preset says is no error of its own when it does not fit the rest of a file that builds on
// it.
void inherit(const YamlValue& preset, SystemConfig* c) {
  const auto move = [&](const std::string& key, Source* source) {
    *source = fmt::format("{}: key '{}' of preset '{}'", preset.source(), key, preset.text());
  };
  move("chip_lanes", &c->chip_lanes_source);
  if (c->torus) move("torus", &c->torus->source);
  if (c->rack_switches) move("rack_switches", &c->rack_switches->source);
  if (c->tray_switches) move("tray_switches", &c->tray_switches->source);
  for (std::size_t i = 0; i < c->cables.size(); ++i)
    move(fmt::format("cables[{}]", i), &c->cables[i].source);
}

// Before the graph is built, which takes memory for each.
void check_size(const SystemConfig& c) {
  const std::uint64_t chips = c.unit_chips();
  const std::uint64_t in_tray = c.tray_switches ? c.tray_switches->switches : 0;
  const std::uint64_t in_plane = c.rack_switches ? c.rack_switches->switches : 0;
  const std::uint64_t planes = c.rack_switches ? c.rack_switches->planes : 0;
  const std::uint64_t switches = std::uint64_t{c.groups} * (planes * in_plane + c.trays * in_tray);
  const std::uint64_t links = chips * (in_tray + in_plane + (c.torus ? c.torus->size.size() : 0) +
                                       (c.cross_lanes > 0 ? 1 : 0)) +
                              (c.tray_lanes > 0 ? chips * (c.chips_per_tray - 1) / 2 : 0);
  const auto require = [&](std::uint64_t count, const char* what, std::uint64_t most) {
    if (count > most)
      throw UserError(fmt::format("{}: {} {}, at most {}", c.source, count, what, most));
  };
  const std::uint64_t units = c.scale_out.units;
  const std::uint64_t in_network =
      units > 1 ? units * chips * (c.scale_out.multipath ? 1 : 2 * c.scale_out.ports()) : 0;
  require(units * chips, "chips", SystemConfig::kMostChips);
  require(units * switches, "switches", SystemConfig::kMostSwitches);
  require(units * links + in_network, "links", SystemConfig::kMostLinks);
}

void check(const SystemConfig& c) {
  check_size(c);
  const auto require = [](bool condition, const Source& where, const std::string& what) {
    if (!condition) throw UserError(where + ": " + what);
  };
  require(c.lane_gb_per_s > 0, c.source, "key 'lane_gb_per_s' is missing");
  require(c.chip_lanes > 0, c.source, "key 'chip_lanes' is missing");
  if (c.torus) {
    const auto points =
        std::accumulate(c.torus->size.begin(), c.torus->size.end(), std::uint64_t{1},
                        [](std::uint64_t a, unsigned b) { return a * b; });
    require(points == c.unit_chips(), c.torus->source,
            fmt::format("{} points for {} chips", points, c.unit_chips()));
  }
  if (c.rack_switches) {
    const RackSwitches& s = *c.rack_switches;
    require(c.chips_per_tray % s.planes == 0, s.source,
            fmt::format("{} planes for {} chips of a tray", s.planes, c.chips_per_tray));
    const unsigned links = c.trays * c.chips_per_tray / s.planes;
    require(links <= s.ports, s.source,
            fmt::format("{} chips on a switch of {} ports", links, s.ports));
    require(
        std::uint64_t{links} * s.link_lanes <= s.lanes, s.source,
        fmt::format("{} links of {} lanes on a switch of {} lanes", links, s.link_lanes, s.lanes));
  }
  if (c.tray_switches) {
    const TraySwitches& s = *c.tray_switches;
    require(c.chips_per_tray <= s.ports, s.source,
            fmt::format("{} chips on a switch of {} ports", c.chips_per_tray, s.ports));
    require(std::uint64_t{c.chips_per_tray} * s.link_lanes <= s.lanes, s.source,
            fmt::format("{} links of {} lanes on a switch of {} lanes", c.chips_per_tray,
                        s.link_lanes, s.lanes));
  }
}

// What no key says, and what follows from all of them.
void complete(SystemConfig* c) {
  ScaleOut& s = c->scale_out;
  if (s.units == 1) return;
  if (s.source.empty())
    throw UserError(
        fmt::format("{}: nothing is known of the network between {} of them: key "
                    "'scale_out' is missing",
                    c->source, s.units));
  if (s.leaf_chips == 0)
    s.leaf_chips = s.layers == 1 ? c->chips() : s.rails ? s.units : c->trays * c->chips_per_tray;
  if (s.layers == 1 && s.leaf_chips < c->chips())
    throw UserError(fmt::format("{}: layers: 1 is one switch, and leaf_chips: {} of {} chips",
                                s.source, s.leaf_chips, c->chips()));
}

}  // namespace

std::vector<std::string> system_names() {
  std::vector<std::string> names;
  for (const config::EmbeddedPreset& preset : system_presets()) names.emplace_back(preset.name);
  return names;
}

namespace {

SystemConfig read_system(const std::string& name_or_path) {
  if (const auto* preset = find_preset(name_or_path)) {
    return from_preset(*preset);
  }
  const bool file =
      name_or_path.find('.') != std::string::npos || name_or_path.find('/') != std::string::npos;
  if (!file) {
    const std::string near = config::nearest(name_or_path, system_names());
    throw UserError(
        fmt::format("unknown system '{}': expected a YAML file or a name of 'tern system "
                    "ls'{}",
                    name_or_path, near.empty() ? "" : fmt::format(", did you mean '{}'?", near)));
  }
  const YamlMap map = YamlMap::from_file(name_or_path);
  SystemConfig c;
  if (const auto v = map.find("preset")) {
    const auto* preset = find_preset(v->as_choice(system_names()));
    c = from_preset(*preset);
    inherit(*v, &c);
  }
  const auto name = map.find("name");
  c.name = name ? name->as_string() : name_or_path;
  c.source = map.source();
  read_keys(map, &c);
  map.finish();
  return c;
}

}  // namespace

SystemConfig load_system(const std::string& name_or_path) {
  return load_system(name_or_path, std::nullopt);
}

SystemConfig load_system(const std::string& name_or_path, const std::optional<unsigned>& units) {
  SystemConfig c = read_system(name_or_path);
  if (units) c.scale_out.units = *units;
  if (units && *units > 1) c.name = fmt::format("{} x {}", *units, c.name);
  check(c);
  complete(&c);
  return c;
}

}  // namespace tern::system

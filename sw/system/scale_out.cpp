// SPDX-License-Identifier: Apache-2.0
#include "sw/system/scale_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/base/user_error.h"
#include "sw/system/read_keys.h"

namespace tern::system {

namespace {

using config::YamlMap;
using config::YamlValue;

ScaleOut defaults() {
  ScaleOut s;
  s.port_gbit_per_s = 100;
  s.packet_ns = 6500;
  s.switch_ns = 500;
  s.cable_ns = 250;
  s.post_ns = 7000;
  s.mtu = 8192;
  s.header_bytes = 114;
  return s;
}

}  // namespace

unsigned ScaleOut::ports() const {
  return static_cast<unsigned>(std::lround(chip_gbit_per_s / port_gbit_per_s));
}

unsigned ScaleOut::uplinks() const {
  return static_cast<unsigned>(std::max(1.0, std::floor(leaf_chips * ports() / oversubscription)));
}

// A packet's way has both NICs, three switches and four cables.
double ScaleOut::nic_ns() const {
  return (packet_ns - 3 * switch_ns - 4 * cable_ns) / 2;
}

// The layers between leaf and spine are one line of the graph, and add a switch and a cable each.
double ScaleOut::head_ns(bool from_chip, bool to_chip) const {
  if (from_chip) return post_ns + nic_ns() + cable_ns;
  if (to_chip) return nic_ns() + cable_ns;
  return cable_ns + (layers > 2 ? switch_ns + cable_ns : 0);
}

ScaleOut read_scale_out(const YamlValue& value, const ScaleOut& base) {
  ScaleOut s = base.source.empty() ? defaults() : base;
  s.source = fmt::format("{}: key '{}'", value.source(), value.key());
  const YamlMap map = value.as_map();
  read_whole(map, "units", 1, 1024, &s.units);
  read_number(map, "chip_gbit_per_s", 1, 100000, &s.chip_gbit_per_s);
  read_number(map, "port_gbit_per_s", 1, 100000, &s.port_gbit_per_s);
  read_whole(map, "leaf_chips", 1, 16384, &s.leaf_chips);
  if (const auto v = map.find("rails")) s.rails = v->as_bool();
  read_number(map, "oversubscription", 1, 1000, &s.oversubscription);
  read_whole(map, "layers", 1, 3, &s.layers);
  if (const auto v = map.find("multipath")) s.multipath = v->as_bool();
  read_number(map, "packet_ns", 0, 1e6, &s.packet_ns);
  read_number(map, "switch_ns", 0, 1e6, &s.switch_ns);
  read_number(map, "cable_ns", 0, 1e6, &s.cable_ns);
  read_number(map, "post_ns", 0, 1e6, &s.post_ns);
  read_whole(map, "mtu", 256, 65536, &s.mtu);
  read_whole(map, "header_bytes", 0, 256, &s.header_bytes);
  const auto require = [&](bool condition, const std::string& what) {
    if (!condition) throw UserError(s.source + ": " + what);
  };
  require(s.chip_gbit_per_s > 0, "key 'chip_gbit_per_s' is missing");
  const double ports = s.chip_gbit_per_s / s.port_gbit_per_s;
  require(ports >= 1 && ports <= 64 && ports == std::floor(ports),
          fmt::format("{} Gb/s of a chip over ports of {} Gb/s: 1 to 64 whole ports",
                      s.chip_gbit_per_s, s.port_gbit_per_s));
  require(s.nic_ns() >= 0,
          fmt::format("packet_ns {}: three switches of {} ns and four cables of {} ns take longer",
                      s.packet_ns, s.switch_ns, s.cable_ns));
  return s;
}

}  // namespace tern::system

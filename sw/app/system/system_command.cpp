// SPDX-License-Identifier: Apache-2.0
#include "sw/app/system/system_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "sw/app/report/json_text.h"
#include "sw/app/report/named_files.h"
#include "sw/app/report/text.h"
#include "sw/app/system/chip_name.h"
#include "sw/app/system/drawing.h"
#include "sw/base/atomic_file.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/system/clos.h"
#include "sw/system/routing.h"

namespace tern::app {

namespace {

using namespace tern::system;  // NOLINT(google-build-using-namespace)

Fabric fabric_of(const SystemOptions& options) {
  return Fabric(load_system(options.system, options.units));
}

// Links of a chip as one sees them from it: over what, to what, of how many lanes; their number.
using Port = std::tuple<Medium, NodeKind, unsigned>;

std::map<Port, unsigned> ports_of(const Fabric& fabric, std::uint32_t chip) {
  std::map<Port, unsigned> ports;
  for (const std::uint32_t number : fabric.links_of(chip)) {
    const Link& link = fabric.links()[number];
    ++ports[{link.medium, fabric.nodes()[link.other(chip)].kind, link.lanes}];
  }
  return ports;
}

const char* kind_name(NodeKind kind) {
  static constexpr const char* kNames[] = {"chips", "switches of the tray", "switches of the rack",
                                           "a leaf", "spine"};
  return kNames[static_cast<unsigned>(kind)];
}

std::string shape_of(const SystemConfig& c) {
  return fmt::format("{}{} {}{} x {} trays x {}",
                     c.scale_out.units > 1 ? fmt::format("{} units x ", c.scale_out.units) : "",
                     c.groups, c.group, c.groups == 1 ? "" : "s", c.trays, c.chips_per_tray);
}

void print_chip(const Fabric& fabric) {
  const unsigned lanes = fabric.lanes_of(0), active = fabric.active_lanes_of(0);
  fmt::print("links of a chip  {} of {} lanes, {} active: {:.6g} GB/s in one direction\n", lanes,
             fabric.config().chip_lanes, active, fabric.gb_per_s(active));
  for (const auto& [port, links] : ports_of(fabric, 0)) {
    const auto& [medium, kind, lanes_each] = port;
    if (medium == Medium::kNetwork) continue;
    fmt::print("  {:10} {:2} x {:2} lanes to {}: {:.6g} GB/s each\n", medium_name(medium), links,
               lanes_each, kind_name(kind), fabric.gb_per_s(lanes_each));
  }
}

void print_switches(const Fabric& fabric) {
  const SystemConfig& c = fabric.config();
  if (c.rack_switches) {
    const RackSwitches& s = *c.rack_switches;
    fmt::print("rack switches    {}: {} plane{} of {} in each {}, {} lanes, {} of {} ports used\n",
               fabric.count(NodeKind::kRackSwitch), s.planes, s.planes == 1 ? "" : "s", s.switches,
               c.group, s.lanes, c.trays * c.chips_per_tray / s.planes, s.ports);
  }
  if (c.tray_switches) {
    const TraySwitches& s = *c.tray_switches;
    fmt::print("tray switches    {}: {} on each tray, {} lanes, {} of {} ports used\n",
               fabric.count(NodeKind::kTraySwitch), s.switches, s.lanes, c.chips_per_tray, s.ports);
  }
  const unsigned all = fabric.count(NodeKind::kRackSwitch) + fabric.count(NodeKind::kTraySwitch);
  if (all > 0)
    fmt::print("switches         {}, {} in each {}\n", all, all / (c.scale_out.units * c.groups),
               c.group);
}

void print_network(const Fabric& fabric) {
  const ScaleOut& s = fabric.config().scale_out;
  if (s.units == 1) return;
  fmt::print("network          {} Gb/s a chip, {} of {} Gb/s, {}\n", s.chip_gbit_per_s,
             base::counted(s.ports(), "port"), s.port_gbit_per_s,
             s.multipath ? "spread over all ways" : "a way for each stream");
  const unsigned leaves = fabric.count(NodeKind::kLeafSwitch);
  if (leaves == 1) {
    fmt::print("leaves           1, with all chips\n");
  } else {
    fmt::print("leaves           {}: {} each{}, {} up, {:.3g} : 1\n", leaves,
               base::counted(s.leaf_chips, "chip"),
               s.rails ? ", those in one place of all units" : "",
               base::counted(s.uplinks(), "port"),
               s.leaf_chips * s.ports() / static_cast<double>(s.uplinks()));
  }
  // Two layers have two switches and two cables more than one, three as many again.
  const unsigned switches = leaves == 1 ? 1 : s.layers > 2 ? 5 : 3;
  const double us =
      (s.packet_ns + (static_cast<double>(switches) - 3) * (s.switch_ns + s.cable_ns)) / 1e3;
  fmt::print(
      "a small packet   {:.1f} us over {}, {:.1f} us from HBM to HBM without collective cores\n",
      us, switches == 1 ? "1 switch" : fmt::format("{} switches", switches), us + s.post_ns / 1e3);
}

void print_hops(const Fabric& fabric) {
  fmt::print("hops             ");
  const std::vector<std::uint64_t> counts = hop_counts(fabric);
  for (std::size_t h = 0; h < counts.size(); ++h) {
    if (counts[h] > 0) fmt::print("{}: {} pairs  ", h, counts[h]);
  }
  fmt::print("\n");
}

void print_bill(const SystemConfig& c) {
  if (c.bill.empty())
    fmt::print("bill             nothing is known of hosts, power, cooling, cost\n");
  for (const BillItem& item : c.bill)
    fmt::print("  {:24} {} ({})\n", printable(item.item), printable(item.value),
               printable(item.source));
}

std::string path_text(const Fabric& fabric, const std::vector<std::uint32_t>& path) {
  std::string text;
  for (const std::uint32_t node : path)
    text += (text.empty() ? "" : " > ") + fabric.nodes()[node].name;
  return printable(text);
}

}  // namespace

int system_list(const SystemOptions& options) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string& name : system_names()) {
    const Fabric fabric(load_system(name));
    const SystemConfig& c = fabric.config();
    if (options.json) {
      list.push_back({{"name", name},
                      {"title", c.title},
                      {"chips", c.chips()},
                      {"gb_per_s", fabric.gb_per_s(fabric.active_lanes_of(0))}});
    } else {
      fmt::print("{:20} {:4} chips  {:5.6g} GB/s a chip  {}\n", name, c.chips(),
                 fabric.gb_per_s(fabric.active_lanes_of(0)), c.title);
    }
  }
  if (options.json) fmt::print("{}", json_text(list));
  return 0;
}

int system_show(const SystemOptions& options) {
  const Fabric fabric = fabric_of(options);
  const SystemConfig& c = fabric.config();
  fmt::print("{}: {}\n", printable(c.name), printable(c.title));
  fmt::print("chips            {}: {}{}\n", c.chips(), shape_of(c),
             c.chip.empty() ? "" : fmt::format(", chip {}", printable(c.chip)));
  print_chip(fabric);
  print_switches(fabric);
  print_network(fabric);
  fmt::print("links            {}\n", fabric.links().size());
  print_hops(fabric);
  if (options.bill) print_bill(c);
  return 0;
}

int system_hops(const SystemOptions& options) {
  const Fabric fabric = fabric_of(options);
  const std::uint32_t from = chip_named(fabric, options.from), to = chip_named(fabric, options.to);
  const Routes routes(fabric, from);
  fmt::print("{}, {}\n", base::counted(routes.hops(to), "hop"),
             base::counted(routes.ways(to), "way"));
  fmt::print("{}\n", path_text(fabric, routes.path(to)));
  return 0;
}

int system_routes(const SystemOptions& options) {
  const Fabric fabric = fabric_of(options);
  const std::uint32_t from = options.from.empty() ? 0 : chip_named(fabric, options.from);
  const Routes routes(fabric, from);
  for (std::uint32_t to = 0; to < fabric.chips(); ++to) {
    if (to == from) continue;
    fmt::print("{} hops, {:4} ways: {}\n", routes.hops(to), routes.ways(to),
               path_text(fabric, routes.path(to)));
  }
  return 0;
}

int system_blast_radius(const SystemOptions& options) {
  const Fabric fabric = fabric_of(options);
  // A chip by its number, too, as everywhere else.
  const bool number = options.element.find_first_not_of("0123456789") == std::string::npos;
  const std::string element =
      number ? fabric.nodes()[chip_named(fabric, options.element)].name : options.element;
  const BlastRadius r = blast_radius(fabric, element);
  fmt::print("{} out of service\n", printable(r.what));
  fmt::print("chips            {} out, {} cut off, {} left\n", r.chips_out, r.chips_cut,
             fabric.chips() - r.chips_out - r.chips_cut);
  fmt::print("routes           {} pairs longer, {} hops at most\n", r.pairs_longer, r.most_hops);
  if (r.pairs_lost > 0) fmt::print("units            {} pairs have no way\n", r.pairs_lost);
  fmt::print("bandwidth        a chip loses up to {} of {} lanes, {:.6g} GB/s\n", r.lanes_lost,
             fabric.lanes_of(0), fabric.gb_per_s(r.lanes_lost));
  if (r.whole_domain)
    fmt::print(
        "domain           all {} chips: a torus with a missing chip is out of service as one\n",
        fabric.config().unit_chips());
  return 0;
}

int system_draw(const SystemOptions& options) {
  refuse_overwriting({{options.system}, {{"--output", options.output}}, "", ""});
  const std::string picture = drawing_of(fabric_of(options));
  if (options.output.empty()) {
    std::cout << picture;
    return 0;
  }
  base::AtomicFile file(options.output);
  file.stream() << picture;
  file.commit();
  fmt::print("{}\n", printable(options.output));
  return 0;
}

// Networks of one, two and three layers, or those of the layers that are given; then the published
// points.
int system_scaleout(const SystemOptions& options) {
  const double planes = options.chip_gb_per_s / options.port_gb_per_s;
  if (!(planes >= 1) || planes != std::floor(planes))
    throw UserError(fmt::format("{} Gb/s of a chip over ports of {} Gb/s are {} planes: whole ones",
                                options.chip_gb_per_s, options.port_gb_per_s, planes));
  std::string text = fmt::format("ports of {} Gb/s, {} planes: {} Gb/s of a chip\n",
                                 options.port_gb_per_s, planes, options.chip_gb_per_s);
  text += fmt::format("{:>6}  {:>14}  {:>13}  {:>15}  {:>15}  {}\n", "layers", "ports", "chips",
                      "switches", "cables", "hops");
  const std::vector<double>& given = options.switch_tb_per_s;
  const std::size_t most = given.size() > 1 ? given.size() : 3;
  for (std::size_t layers = given.size() > 1 ? most : 1; layers <= most; ++layers) {
    const Clos clos = clos_of(given.size() > 1 ? given : std::vector<double>(layers, given[0]),
                              options.port_gb_per_s);
    const auto all = static_cast<std::uint64_t>(planes);
    std::uint64_t switches = 0;
    for (const std::uint64_t of_layer : clos.switches) switches += of_layer;
    text += fmt::format("{:>6}  {:>14}  {:>13}  {:>15}  {:>15}  {}\n", layers,
                        fmt::format("{}", fmt::join(clos.radix, ", ")), grouped(clos.ports),
                        grouped(switches * all), grouped(clos.cables * all), clos.hops);
  }
  fmt::print("{}", text);
  fmt::print("\n{:<58}  {:>10}  {:>10}\n", "published: SemiAnalysis, Trainium3, 2025-12-04",
             "there", "here");
  for (const ScaleOutPoint& point : scale_out_points()) {
    auto here = static_cast<double>(clos_of(point.switch_tb_per_s, point.port_gb_per_s).ports);
    const bool times = !point.other_tb_per_s.empty();
    if (times)
      here /= static_cast<double>(clos_of(point.other_tb_per_s, point.other_port_gb_per_s).ports);
    fmt::print("{:<58}  {:>10}  {:>10}\n", point.what,
               fmt::format("{}{}", point.published, times ? " times" : ""),
               fmt::format("{}{}", here, times ? " times" : ""));
  }
  return 0;
}

}  // namespace tern::app

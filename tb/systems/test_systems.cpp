// SPDX-License-Identifier: Apache-2.0
// Systems of many chips: the published counts of chips, lanes, switches and hops. Sources:
// SemiAnalysis, Trainium2 (2024-12-03) and Trainium3 (2025-12-04).
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "sw/app/system/drawing.h"
#include "sw/base/user_error.h"
#include "sw/system/clos.h"
#include "sw/system/routing.h"
#include "tb/common/temp_folder.h"

namespace tern::tb {
namespace {

using namespace tern::system;  // NOLINT: test file
using app::drawing_of;

Fabric fabric(const std::string& name) {
  return Fabric(load_system(name));
}

unsigned hops(const Fabric& f, const std::string& from, const std::string& to) {
  return Routes(f, f.find(from).value()).hops(f.find(to).value());
}

std::string refusal(const std::string& yaml) {
  const TempFolder folder;
  try {
    const Fabric f(load_system(folder.put("my.yaml", yaml).string()));
  } catch (const UserError& error) {
    const std::string message = error.what();
    return message.substr(message.find("my.yaml"));
  }
  return "";
}

}  // namespace

TEST_CASE("systems: sizes of networks between servers are the published ones") {
  for (const ScaleOutPoint& point : scale_out_points()) {
    INFO(point.what);
    auto here = static_cast<double>(clos_of(point.switch_tb_per_s, point.port_gb_per_s).ports);
    if (!point.other_tb_per_s.empty())
      here /= static_cast<double>(clos_of(point.other_tb_per_s, point.other_port_gb_per_s).ports);
    CHECK(here == point.published);
  }
  // By hand: 32 ports; 16 leaves of each pod, ...
  const Clos clos = clos_of({12.8, 12.8, 12.8}, 400);
  CHECK(clos.ports == 16 * 16 * 32);
  CHECK(clos.switches == std::vector<std::uint64_t>{512, 512, 256});
  CHECK(clos.cables == 3 * clos.ports);
  CHECK(clos.hops == 5);
  CHECK_THROWS_WITH(clos_of({1.0, 1.0}, 200), Catch::Contains("has 5 ports of 200 Gb/s"));
  CHECK_THROWS_WITH(clos_of({0.1}, 200), Catch::Contains("has 0 ports"));
  CHECK_THROWS_AS(clos_of({1, 1, 1, 1}, 100), UserError);
}

TEST_CASE("systems: every preset loads, and has the published chips, lanes and bandwidth") {
  struct Row {
    const char* name;
    unsigned chips, lanes, active, gb_per_s;
  };
  const std::vector<Row> rows = {
      {"inf2", 12, 48, 48, 96},
      {"trn1-nl16", 16, 96, 96, 192},    // 192 GB/s in one direction
      {"trn2-nl16", 16, 128, 128, 512},  // four neighbours of 128 GB/s
      {"trn2-nl64", 64, 160, 160, 640},  // 640 GB/s, six neighbours
      {"trn2-nl256", 256, 160, 160, 640},
      {"trn3-nl16-2d", 16, 128, 128, 1024},
      {"trn3-nl64-3d", 64, 160, 160, 1280},
      {"trn3-nl32x2-gen1", 64, 144, 144, 1152},  // 1.152 TB/s on 144 active lanes
      {"trn3-nl32x2-gen2", 64, 144, 144, 1152},
      {"trn3-nl32x2-gen3", 64, 144, 144, 1152},
      {"trn3-nl72x2-gen1", 144, 160, 144, 1152},  // 160 lanes, 16 of them redundant
      {"trn3-nl72x2-gen1b", 144, 160, 144, 1152},
      {"trn3-nl72x2-gen2", 144, 160, 144, 1152},
      {"trn3-nl72x2-gen3", 144, 160, 144, 1152},
      {"trn4-nvlink", 144, 96, 96, 2400},
      {"trn4-ualink", 144, 96, 96, 2688},
  };
  std::vector<std::string> names;
  for (const Row& row : rows) {
    CAPTURE(row.name);
    names.emplace_back(row.name);
    const Fabric f = fabric(row.name);
    CHECK(f.chips() == row.chips);
    for (unsigned n = 0; n < f.chips(); ++n) {
      CHECK(f.lanes_of(n) == row.lanes);
      CHECK(f.active_lanes_of(n) == row.active);
    }
    CHECK(f.gb_per_s(f.active_lanes_of(0)) == row.gb_per_s);
  }
  std::sort(names.begin(), names.end());
  CHECK(system_names() == names);
}

TEST_CASE("systems: lanes by medium, as the link table of the chip has them") {
  for (const char* name : {"trn3-nl72x2-gen1", "trn3-nl72x2-gen2", "trn3-nl72x2-gen3"}) {
    const Fabric f = fabric(name);
    CHECK(f.lanes_of(0, Medium::kBackplane) == 80);  // 64 active, 16 redundant
    CHECK(f.lanes_of(0, Medium::kPcb) == 64);
    CHECK(f.lanes_of(0, Medium::kAec) == 16);
  }
  const Fabric small = fabric("trn3-nl32x2-gen1");
  CHECK(small.lanes_of(5, Medium::kBackplane) == 64);
  CHECK(small.lanes_of(5, Medium::kPcb) == 64);
  CHECK(small.lanes_of(5, Medium::kAec) == 16);
  // One of the four neighbours in a Trainium2 server is on the tray.
  const Fabric server = fabric("trn2-nl16");
  for (unsigned n = 0; n < 16; ++n) {
    CHECK(server.lanes_of(n, Medium::kPcb) == 32);
    CHECK(server.lanes_of(n, Medium::kBackplane) == 96);
  }
  CHECK(fabric("trn2-nl64").lanes_of(0, Medium::kAec) == 32);  // z: 2 x 16, 64 GB/s each
}

TEST_CASE("systems: published counts of switches") {
  struct Row {
    const char* name;
    unsigned rack, tray;
  };
  for (const Row& row : {Row{"trn3-nl32x2-gen1", 32, 0}, Row{"trn3-nl32x2-gen2", 16, 0},
                         Row{"trn3-nl72x2-gen1", 80, 288},  // 184 in a rack, 368 in all
                         Row{"trn3-nl72x2-gen1b", 80, 288}, Row{"trn3-nl72x2-gen2", 40, 288},
                         Row{"trn3-nl72x2-gen3", 20, 288}}) {
    CAPTURE(row.name);
    const Fabric f = fabric(row.name);
    CHECK(f.count(NodeKind::kRackSwitch) == row.rack);
    CHECK(f.count(NodeKind::kTraySwitch) == row.tray);
  }
  // 18 of 20 ports.
  const Fabric f = fabric("trn3-nl72x2-gen1");
  CHECK(f.links_of(f.find("rack1.plane3.switch9").value()).size() == 18);
}

TEST_CASE("systems: published hops") {
  const auto row = [](const char* name, unsigned same, unsigned other, unsigned far) {
    CAPTURE(name);
    const Fabric f = fabric(name);
    CHECK(hops(f, "rack0.tray0.chip0", "rack0.tray5.chip0") == same);
    CHECK(hops(f, "rack0.tray0.chip0", "rack0.tray5.chip1") == other);
    CHECK(hops(f, "rack0.tray0.chip0", "rack1.tray5.chip1") == far);
    CHECK(hops(f, "rack0.tray0.chip0", "rack1.tray0.chip0") == 0);  // the cable between the racks
  };
  row("trn3-nl32x2-gen1", 1, 2, 3);
  row("trn3-nl32x2-gen2", 1, 1, 2);  // 1 in the rack, and the chip behind the cable
  row("trn3-nl32x2-gen3", 1, 1, 2);
  row("trn3-nl72x2-gen1", 1, 3, 4);
  row("trn3-nl72x2-gen1b", 1, 3, 4);
  // Derived: chips 0 and 1 of a tray are on one of two planes, all on the only one.
  row("trn3-nl72x2-gen2", 1, 1, 2);
  row("trn3-nl72x2-gen3", 1, 1, 2);
  CHECK(hops(fabric("trn3-nl72x2-gen2"), "rack0.tray0.chip0", "rack0.tray5.chip2") == 3);
}

TEST_CASE("systems: the 4x4 torus is the 2x2x2x2 hypercube") {
  // Along an axis of four in the order of a Gray code.
  constexpr unsigned kGray[] = {0, 1, 3, 2};
  const Fabric f = fabric("trn2-nl16");
  const auto corner = [&](unsigned chip) { return kGray[chip % 4] | kGray[chip / 4] << 2; };
  CHECK(f.links().size() == 32);
  std::set<std::pair<unsigned, unsigned>> edges;
  for (const Link& link : f.links()) {
    const unsigned a = corner(link.a), b = corner(link.b), both = a ^ b;
    CHECK((both & (both - 1)) == 0);  // they differ in one bit
    edges.insert({std::min(a, b), std::max(a, b)});
  }
  CHECK(edges.size() == 32);
}

TEST_CASE("systems: distances in a torus are those of its axes") {
  const Fabric f = fabric("trn2-nl64");
  const Routes routes(f, 0);
  for (unsigned n = 0; n < 64; ++n) {
    const unsigned at[] = {n % 4, n / 4 % 4, n / 16};
    unsigned steps = 0;
    for (const unsigned x : at) steps += std::min(x, 4 - x);
    CHECK(routes.hops(n) == (steps == 0 ? 0 : steps - 1));
    CHECK(routes.path(n).size() == steps + 1);
  }
  CHECK(routes.ways(1) == 1);
  CHECK(routes.ways(2) == 2);  // either way around
  CHECK(routes.ways(5) == 2);
}

TEST_CASE("systems: what goes out of service with something") {
  const Fabric torus = fabric("trn2-nl64");
  BlastRadius r = blast_radius(torus, "server1.tray2.chip1");
  CHECK(r.chips_out == 1);
  CHECK(r.chips_cut == 0);
  CHECK(r.whole_domain);
  CHECK(r.lanes_lost == 32);
  r = blast_radius(torus, "server0.tray0.chip0--server0.tray0.chip1");
  CHECK(r.chips_out == 0);
  CHECK(!r.whole_domain);
  CHECK(r.pairs_longer > 0);

  const Fabric rack = fabric("trn3-nl72x2-gen1");
  r = blast_radius(rack, "rack0.plane2.switch4");
  CHECK(r.chips_out + r.chips_cut == 0);
  CHECK(r.pairs_longer == 0);  // nine other switches of the plane
  CHECK(r.lanes_lost == 8);
  r = blast_radius(rack, "rack0.tray3");
  CHECK(r.chips_out == 4);
  CHECK(!r.whole_domain);
  CHECK(r.lanes_lost == 16);  // the chips behind the cables to the other rack
  CHECK_THROWS_WITH(blast_radius(rack, "rack0.tray99"),
                    "no chip, switch, tray or link 'rack0.tray99' in trn3-nl72x2-gen1");
}

TEST_CASE("systems: hop counts name every pair once") {
  for (const std::string& name : system_names()) {
    CAPTURE(name);
    const Fabric f = fabric(name);
    std::uint64_t pairs = 0;
    for (const std::uint64_t count : hop_counts(f)) pairs += count;
    CHECK(pairs == std::uint64_t{f.chips()} * (f.chips() - 1) / 2);
  }
}

TEST_CASE("systems: a file builds on a preset, and what cannot be is refused with its line") {
  const std::string base =
      "lane_gb_per_s: 8\nchip_lanes: 64\ngroups: 1\ntrays: 4\nchips_per_tray: 2\n";
  CHECK(refusal("preset: trn2-nl64\ngroups: 2\ntorus: {size: [4, 4, 2], lanes: [32, 32, 16]}\n") ==
        "");
  CHECK(refusal(base + "torus: {size: [4, 4], lanes: [8, 8]}\n") ==
        "my.yaml:6: key 'torus': 16 points for 8 chips");
  CHECK(refusal(base + "torus: {size: [4, 2], lanes: [8]}\n") ==
        "my.yaml:6: key 'torus.lanes': expected 2 numbers, one for each axis, got '[8]'");
  CHECK(refusal(base + "torus: {size: [8], lanes: [40]}\n") ==
        "my.yaml:2: key 'chip_lanes': rack0.tray0.chip0 has 64 lanes, its links take 80");
  CHECK(refusal(base +
                "rack_switches: {planes: 1, switches: 4, lanes: 160, ports: 6, link_lanes: 8}\n") ==
        "my.yaml:6: key 'rack_switches': 8 chips on a switch of 6 ports");
  CHECK(refusal(base +
                "rack_switches: {planes: 1, switches: 4, lanes: 60, ports: 20, link_lanes: 8}\n") ==
        "my.yaml:6: key 'rack_switches': 8 links of 8 lanes on a switch of 60 lanes");
  CHECK(
      refusal(base +
              "rack_switches: {planes: 3, switches: 4, lanes: 160, ports: 20, link_lanes: 8}\n") ==
      "my.yaml:6: key 'rack_switches': 3 planes for 2 chips of a tray");
  CHECK(refusal(base + "tray_lanes: 8\n") ==
        "my.yaml:1: rack0.tray0.chip0 does not reach rack0.tray1.chip0");
  CHECK(refusal(base + "torus: {size: [8], lanes: [8]}\ncables:\n  - {from: rack0.tray0.chip0, to: "
                       "rack7.tray0.chip0, lanes: 8}\n") ==
        "my.yaml:8: key 'cables[0]': no chip or switch 'rack7.tray0.chip0'");
  CHECK(refusal(base + "torus: {size: [8], lanes: [8]}\ncables:\n  - {from: rack0.tray0.chip0, to: "
                       "rack0.tray2.chip0, lanes: [8, 16]}\n") ==
        "my.yaml:8: key 'cables[0].lanes': expected the same number of lanes at both ends, got "
        "'[8, 16]'");
  CHECK(refusal("groups: 1000\ntrays: 1000\nchips_per_tray: 64\n") ==
        "my.yaml:1: 64000000 chips, at most 16384");
  // Of what it inherits, too, the line is that of the file.
  CHECK(refusal("title: nine trays\npreset: trn2-nl16\ntrays: 9\n") ==
        "my.yaml:2: key 'torus' of preset 'trn2-nl16': 16 points for 18 chips");
  CHECK(refusal("preset: trn2-nl16\ncross_lanes: 8\ntray_lanes: 64\n") ==
        "my.yaml:1: key 'chip_lanes' of preset 'trn2-nl16': server0.tray0.chip0 has 160 lanes, its "
        "links take 192");
  CHECK(refusal("preset: trn3-nl32x2-gen1\ntrays: 21\n") ==
        "my.yaml:1: key 'rack_switches' of preset 'trn3-nl32x2-gen1': 21 chips on a switch of 20 "
        "ports");
  CHECK(refusal("preset: trn2-nl16\nchip: trn9\n") ==
        "my.yaml:2: key 'chip': expected one of trn1, trn2, trn3, got 'trn9'");
  // Far more than memory, in few bytes.
  CHECK(
      refusal("lane_gb_per_s: 8\nchip_lanes: 4096\ngroups: 256\nchips_per_tray: 64\n"
              "rack_switches: {planes: 64, switches: 1000, lanes: 1, ports: 1, link_lanes: 1}\n") ==
      "my.yaml:1: 16384000 switches, at most 65536");
  CHECK(refusal("lane_gb_per_s: 8\nchip_lanes: 4096\ntrays: 256\nchips_per_tray: 64\n"
                "rack_switches: {planes: 64, switches: 1000, lanes: 256, ports: 256, link_lanes: "
                "1}\n") == "my.yaml:1: 16384000 links, at most 1048576");
  CHECK(refusal(base + "toros: 1\n") ==
        "my.yaml:6: key 'toros': unknown key, did you mean 'torus'?");
  CHECK_THROWS_WITH(load_system("trn3-nl72x2-gen9"),
                    "unknown system 'trn3-nl72x2-gen9': expected a YAML file or a name of 'tern "
                    "system ls', did you mean 'trn3-nl72x2-gen1'?");
}

TEST_CASE("systems: a file has its own name, whatever it builds on") {
  const TempFolder folder;
  const std::string file = folder.put("my.yaml", "preset: trn2-nl16\n").string();
  CHECK(load_system(file).name == file);
  CHECK(load_system(folder.put("n.yaml", "preset: trn2-nl16\nname: mine\n").string()).name ==
        "mine");
}

TEST_CASE("systems: a picture names every node once, and no text of a file is markup") {
  const TempFolder folder;
  const Fabric f(
      load_system(folder.put("my.yaml", "preset: trn2-nl16\ntitle: \"<script>&\xff\"\n").string()));
  const std::string picture = drawing_of(f);
  CHECK(picture.find("<script>") == std::string::npos);
  CHECK(picture.find('\xff') == std::string::npos);  // no byte that XML does not allow
  for (const Node& node : f.nodes())
    CHECK(picture.find("<title>" + node.name + "</title>") != std::string::npos);
  for (const std::string& name : system_names()) CHECK(drawing_of(fabric(name)).size() > 1000);
}

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
// Several systems and the network between them, as a graph: counts by hand, ways, refusals.
#include <catch2/catch.hpp>
#include <set>

#include "sw/app/system/drawing.h"
#include "sw/base/user_error.h"
#include "sw/system/routing.h"
#include "tb/common/temp_folder.h"

namespace tern::tb {
namespace {

using namespace tern::system;  // NOLINT: test file

std::vector<Link> network_of(const Fabric& f) {
  std::vector<Link> links;
  for (const Link& link : f.links())
    if (link.medium == Medium::kNetwork) links.push_back(link);
  return links;
}

std::string refusal(const std::string& yaml) {
  const TempFolder folder;
  try {
    load_system(folder.put("my.yaml", yaml).string());
  } catch (const UserError& error) {
    const std::string message = error.what();
    return message.substr(message.find("my.yaml"));
  }
  return "";
}

}  // namespace

TEST_CASE("scale-out: four UltraServers keep their own links, and each chip has one to its leaf") {
  const Fabric one(load_system("trn2-nl64")), four(load_system("trn2-nl64", 4));
  CHECK(four.config().name == "4 x trn2-nl64");
  REQUIRE(four.chips() == 256);
  CHECK(four.nodes()[0].name == "unit0.server0.tray0.chip0");
  CHECK(four.nodes()[255].name == "unit3.server3.tray7.chip1");
  // A leaf for the 16 chips of each server.
  CHECK(four.count(NodeKind::kLeafSwitch) == 16);
  CHECK(four.count(NodeKind::kSpine) == 1);
  const std::vector<Link> network = network_of(four);
  REQUIRE(network.size() == 256 + 16);
  CHECK(network.front().gb_per_s == 25);      // 200 Gb/s
  CHECK(network.front().lanes == 2);          // ports of 100 Gb/s
  CHECK(network.back().gb_per_s == 16 * 25);  // no less goes up than comes from below
  // Of unit u they have the numbers that they have in one alone.
  REQUIRE(four.links().size() == 4 * one.links().size() + network.size());
  for (unsigned u = 0; u < 4; ++u) {
    for (std::size_t n = 0; n < one.links().size(); ++n) {
      const Link &alone = one.links()[n], &in = four.links()[u * one.links().size() + n];
      CHECK(in.a == alone.a + u * 64);
      CHECK(in.b == alone.b + u * 64);
      CHECK(in.lanes == alone.lanes);
    }
  }
  CHECK(four.lanes_of(0) == one.lanes_of(0));
}

TEST_CASE("scale-out: inside of a unit its own ways, between units those of leaves and the spine") {
  const Fabric one(load_system("trn2-nl64")), four(load_system("trn2-nl64", 4));
  const Routes alone(one, 5), routes(four, 64 + 5);
  for (std::uint32_t to = 0; to < 64; ++to) {
    CHECK(routes.hops(64 + to) == alone.hops(to));
    CHECK(routes.ways(64 + to) == alone.ways(to));
  }
  const auto path = routes.path(200);
  REQUIRE(path.size() == 5);
  CHECK(four.nodes()[path[1]].name == "leaf4");
  CHECK(four.nodes()[path[2]].name == "spine");
  CHECK(four.nodes()[path[3]].name == "leaf12");
  // With its leaf, a chip loses the other units and nothing else.
  const Routes without(four, 64 + 5, *outage_of(four, "leaf4"));
  CHECK(without.hops(64) == alone.hops(0));
  CHECK(without.hops(200) == Routes::kUnreachable);
}

TEST_CASE("scale-out: a rail has the chips in one place of all units") {
  const Fabric f(load_system("trn3-nl72x2-gen1", 4));
  CHECK(f.chips() == 576);
  CHECK(f.count(NodeKind::kLeafSwitch) == 144);
  const Routes routes(f, 7);
  CHECK(routes.hops(144 + 7) == 1);
  CHECK(routes.hops(432 + 7) == 1);
  CHECK(routes.hops(144 + 8) == 3);
}

TEST_CASE(
    "scale-out: oversubscribed leaves have fewer ports up, and single ways are links of a port") {
  const TempFolder folder;
  const Fabric f(
      load_system(folder
                      .put("my.yaml",
                           "preset: trn2-nl16\nscale_out: {units: 3, chip_gbit_per_s: 400, "
                           "oversubscription: 3, multipath: false}\n")
                      .string()));
  CHECK(f.chips() == 48);
  // 16 chips of 4 ports: 64 down, 21 up.
  CHECK(network_of(f).size() == 3 * (64 + 21));
  for (const Link& link : network_of(f)) CHECK(link.gb_per_s == 12.5);
}

TEST_CASE("scale-out: what cannot be is refused with its line") {
  const std::string base = "preset: trn2-nl16\n";
  CHECK(refusal("preset: inf2\nscale_out: {units: 2}\n") ==
        "my.yaml:2: key 'scale_out': key 'chip_gbit_per_s' is missing");
  CHECK(refusal(base + "scale_out: {units: 2, chip_gbit_per_s: 250}\n") ==
        "my.yaml:2: key 'scale_out': 250 Gb/s of a chip over ports of 100 Gb/s: 1 to 64 whole "
        "ports");
  CHECK(refusal(base + "scale_out: {units: 2, packet_ns: 1000}\n") ==
        "my.yaml:2: key 'scale_out': packet_ns 1000: three switches of 500 ns and four cables of "
        "250 ns take longer");
  CHECK(refusal(base + "scale_out: {units: 2, layers: 1, leaf_chips: 16}\n") ==
        "my.yaml:2: key 'scale_out': layers: 1 is one switch, and leaf_chips: 16 of 32 chips");
  CHECK(refusal(base + "scale_out: {units: 2, layers: 1}\n") == "");
  CHECK(refusal(base + "scale_out: {units: 1024, leaf_chips: 64}\n") == "");
  CHECK(refusal("preset: trn2-nl64\nscale_out: {units: 1024}\n") ==
        "my.yaml:1: 65536 chips, at most 16384");
  CHECK(refusal(base + "scale_out: {unit: 2}\n") ==
        "my.yaml:2: key 'scale_out.unit': unknown key, did you mean 'units'?");
  CHECK_THROWS_WITH(load_system("inf2", 2),
                    Catch::Contains("nothing is known of the network between 2 of them"));
}

TEST_CASE("scale-out: a picture has every unit, the leaves and the spine") {
  const std::string picture = app::drawing_of(Fabric(load_system("trn2-nl16", 2)));
  for (const char* name : {"unit 0, server 0", "unit 1, server 0", ">leaf0<", ">leaf1<", ">spine<",
                           "network: 34 links"})
    CHECK(picture.find(name) != std::string::npos);
}

}  // namespace tern::tb

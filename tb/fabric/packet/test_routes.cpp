// SPDX-License-Identifier: Apache-2.0
// Paths of the packet level on every preset: shortest, and without a circle of channels that wait
// for each other (Dally and Seitz: then there is no deadlock).
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "sw/base/user_error.h"
#include "sw/system/routing.h"
#include "systemc/fabric/packet/routes.h"
#include "tb/common/temp_folder.h"
#include "tb/fabric/has_circle.h"

namespace tern::tb {
namespace {

using fabric::Transfer;
using fabric::packet::Hop;
using system::Fabric;

Transfer transfer(std::uint32_t source, std::uint32_t target, std::uint32_t stream = 0) {
  Transfer t;
  t.source = source;
  t.target = target;
  t.stream = stream;
  return t;
}

std::uint32_t end_of(const Fabric& fabric, std::uint32_t channel, bool head) {
  const system::Link& link = fabric.links()[channel / 2];
  return (channel % 2 == 0) == head ? link.a : link.b;
}

void check_paths(const Fabric& fabric, unsigned streams) {
  const auto routes = fabric::packet::routes_of(fabric);
  const unsigned vcs = routes->vcs();
  std::vector<std::set<std::uint32_t>> next(fabric.links().size() * 2 * vcs);
  std::vector<Hop> path;
  for (std::uint32_t a = 0; a < fabric.chips(); ++a) {
    const system::Routes shortest(fabric, a);
    for (std::uint32_t b = 0; b < fabric.chips(); ++b) {
      for (std::uint32_t stream = 0; a != b && stream < streams; ++stream) {
        path.clear();
        REQUIRE(routes->path(transfer(a, b, stream), &path));
        REQUIRE(path.size() == shortest.hops(b) + 1);
        std::uint32_t at = a;
        for (std::size_t i = 0; i < path.size(); ++i) {
          REQUIRE(end_of(fabric, path[i].channel, true) == at);
          at = end_of(fabric, path[i].channel, false);
          REQUIRE(path[i].first_vc + path[i].vcs <= vcs);
          REQUIRE(path[i].vcs == 1);
          if (i > 0)
            next[path[i - 1].channel * vcs + path[i - 1].first_vc].insert(path[i].channel * vcs +
                                                                          path[i].first_vc);
        }
        REQUIRE(at == b);
      }
    }
  }
  CHECK_FALSE(has_circle(next));
}

}  // namespace

TEST_CASE("fabric packet: paths of every preset are shortest and free of deadlock") {
  for (const std::string& name : system::system_names()) {
    CAPTURE(name);
    const Fabric fabric(system::load_system(name));
    check_paths(fabric, fabric.chips() > 100 ? 2 : 16);
  }
}

TEST_CASE("fabric packet: paths of a torus with an odd axis, and of one with further cables") {
  const TempFolder folder;
  const auto load = [&](const std::string& yaml) {
    return Fabric(system::load_system(folder.put("my.yaml", yaml).string()));
  };
  const std::string torus =
      "lane_gb_per_s: 8\nchip_lanes: 160\ngroups: 1\ntrays: 15\nchips_per_tray: 2\n"
      "torus: {size: [3, 5, 2], lanes: [8, 8, 8]}\n";
  check_paths(load(torus), 8);
  check_paths(
      load(torus + "cables: [{from: rack0.tray0.chip0, to: rack0.tray7.chip1, lanes: 8}]\n"), 8);
}

TEST_CASE("fabric packet: ways that need too many virtual channels are refused") {
  // A chain of chips by cables: each is one more.
  std::string yaml =
      "lane_gb_per_s: 8\nchip_lanes: 160\ngroups: 1\ntrays: 20\nchips_per_tray: 1\ncables:\n";
  for (unsigned n = 0; n + 1 < 20; ++n)
    yaml += "  - {from: rack0.tray" + std::to_string(n) + ".chip0, to: rack0.tray" +
            std::to_string(n + 1) + ".chip0, lanes: 8}\n";
  const TempFolder folder;
  const Fabric fabric(system::load_system(folder.put("my.yaml", yaml).string()));
  CHECK_THROWS_AS(fabric::packet::routes_of(fabric), UserError);
}

TEST_CASE("fabric packet: equal ways are used evenly") {
  const Fabric fabric(system::load_system("trn3-nl72x2-gen1"));
  const auto routes = fabric::packet::routes_of(fabric);
  std::vector<Hop> path;
  // Chip 0 to the same place of the other trays of its rack: ten switches.
  std::map<std::uint32_t, unsigned> uses;
  for (std::uint32_t target = 4; target < 72; target += 4) {
    path.clear();
    routes->path(transfer(0, target), &path);
    ++uses[path[0].channel];
  }
  CHECK(uses.size() == 10);
  for (const auto& [channel, count] : uses) CHECK(count <= 3);
  // Streams of one pair.
  uses.clear();
  for (std::uint32_t stream = 0; stream < 100; ++stream) {
    path.clear();
    routes->path(transfer(0, 4, stream), &path);
    ++uses[path[0].channel];
  }
  CHECK(uses.size() == 10);
  for (const auto& [channel, count] : uses) {
    CHECK(count >= 8);
    CHECK(count <= 12);
  }
}

}  // namespace tern::tb

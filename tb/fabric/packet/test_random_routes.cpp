// SPDX-License-Identifier: Apache-2.0
// Paths in random tori and graphs: as short as those of sw/system, and free of deadlock, which is
// looked for as a circle among the buffers that paths hold and want.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <vector>

#include "sw/system/routing.h"
#include "systemc/fabric/packet/routes.h"
#include "systemc/fabric/packet/shape.h"
#include "tb/common/seed.h"
#include "tb/fabric/has_circle.h"

using namespace tern;  // NOLINT: test file
using fabric::Transfer;
using fabric::packet::Hop;
using fabric::packet::Shape;

namespace {

void check_ways(const system::Fabric& fabric, unsigned streams) {
  const auto routes = fabric::packet::routes_of(fabric);
  const unsigned vcs = routes->vcs();
  const Shape shape = fabric::packet::shape_of(fabric, vcs);
  REQUIRE(shape.channels.size() == 2 * fabric.links().size());
  // By buffer, channel * vcs + vc: those that a train waits for while it holds this one.
  std::vector<std::set<std::size_t>> waits(shape.channels.size() * vcs);
  for (std::uint32_t source = 0; source < fabric.chips(); ++source) {
    const system::Routes shortest(fabric, source);
    for (std::uint32_t target = 0; target < fabric.chips(); ++target) {
      if (source == target) continue;
      for (std::uint32_t stream = 0; stream < streams; ++stream) {
        std::vector<Hop> hops, again;
        const Transfer transfer = {source, target, 64, 3, stream, 0};
        REQUIRE(routes->path(transfer, &hops));
        REQUIRE(hops.size() == shortest.hops(target) + 1);
        std::uint32_t at = source;
        for (std::size_t n = 0; n < hops.size(); ++n) {
          const Hop& hop = hops[n];
          REQUIRE(shape.channels[hop.channel].from == at);
          REQUIRE(hop.vcs > 0);
          REQUIRE(hop.first_vc + hop.vcs <= vcs);
          at = shape.channels[hop.channel].to;
          for (unsigned a = 0; n > 0 && a < hops[n - 1].vcs; ++a)
            for (unsigned b = 0; b < hop.vcs; ++b)
              waits[hops[n - 1].channel * vcs + hops[n - 1].first_vc + a].insert(hop.channel * vcs +
                                                                                 hop.first_vc + b);
        }
        REQUIRE(at == target);
        REQUIRE(routes->path(transfer, &again));
        REQUIRE(std::equal(hops.begin(), hops.end(), again.begin(), again.end(),
                           [](const Hop& a, const Hop& b) {
                             return a.channel == b.channel && a.first_vc == b.first_vc;
                           }));
      }
    }
  }
  CHECK_FALSE(tb::has_circle(waits));
}

system::SystemConfig plain(unsigned chips) {
  system::SystemConfig config;
  config.name = config.source = "test";
  config.lane_gb_per_s = 8;
  config.chip_lanes = 1024;
  config.chips_per_tray = chips;
  config.link = system::default_link(system::Protocol::kPcie6);
  return config;
}

system::Fabric torus(const std::vector<unsigned>& size) {
  unsigned chips = 1;
  for (const unsigned n : size) chips *= n;
  system::SystemConfig config = plain(chips);
  config.torus = {size, std::vector<unsigned>(size.size(), 8), "test"};
  return system::Fabric(config);
}

void add_cable(system::SystemConfig* config, unsigned a, unsigned b) {
  config->cables.push_back(
      {fmt::format("rack0.tray0.chip{}", a), fmt::format("rack0.tray0.chip{}", b), 8, "test"});
}

}  // namespace

TEST_CASE("fabric packet: paths of random tori are shortest and free of deadlock") {
  std::mt19937 random(tb::test_seed());
  for (const auto& size : {std::vector<unsigned>{2}, {3}, {4}, {7}, {8, 8}, {2, 2, 2, 2}, {1, 5}})
    check_ways(torus(size), 4);
  for (unsigned round = 0; round < 20; ++round) {
    std::vector<unsigned> size(1 + random() % 4);
    for (unsigned& n : size) n = 1 + random() % 5;
    size[0] += 1;
    INFO("seed " << tb::test_seed() << ", round " << round);
    check_ways(torus(size), 4);
  }
}

TEST_CASE("fabric packet: paths of random graphs are shortest and free of deadlock") {
  std::mt19937 random(tb::test_seed());
  for (unsigned round = 0; round < 50; ++round) {
    INFO("seed " << tb::test_seed() << ", round " << round);
    const unsigned chips = 2 + random() % 20;
    system::SystemConfig config = plain(chips);
    std::set<std::pair<unsigned, unsigned>> cables;
    // A tree of few levels, and some more.
    for (unsigned n = 1; n < chips; ++n) cables.insert({n / 4, n});
    for (unsigned n = random() % (2 * chips); n > 0; --n) {
      const unsigned a = random() % chips, b = random() % chips;
      if (a != b) cables.insert({std::min(a, b), std::max(a, b)});
    }
    for (const auto& [a, b] : cables) add_cable(&config, a, b);
    check_ways(system::Fabric(config), 8);
  }
}

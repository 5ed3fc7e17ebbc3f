// SPDX-License-Identifier: Apache-2.0
// Ways around outages: one wherever a breadth-first search finds any, over links in service, and
// without a circle of channels that wait for each other.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "sw/system/routing.h"
#include "systemc/fabric/packet/repaired_routes.h"
#include "tb/common/seed.h"
#include "tb/fabric/faults/broken_system.h"
#include "tb/fabric/has_circle.h"

namespace tern::tb {

using fabric::Transfer;
using fabric::faults::Fault;
using fabric::faults::FaultScript;
using fabric::faults::FaultState;
using fabric::packet::Hop;
using fabric::packet::RepairedRoutes;

namespace {

FaultScript outage(const system::Fabric& fabric, unsigned links, unsigned nodes,
                   std::mt19937_64* random) {
  FaultScript script;
  for (unsigned n = 0; n < links; ++n) {
    Fault fault;
    fault.kind = Fault::Kind::kDeadLink;
    fault.links = {static_cast<std::uint32_t>((*random)() % fabric.links().size())};
    script.faults.push_back(fault);
  }
  for (unsigned n = 0; n < nodes; ++n) {
    Fault fault;
    fault.kind = Fault::Kind::kDeadChip;
    fault.nodes = {static_cast<std::uint32_t>((*random)() % fabric.nodes().size())};
    script.faults.push_back(fault);
  }
  return script;
}

}  // namespace

TEST_CASE("repaired routes: ways around random outages of every preset, free of deadlock") {
  CAPTURE(test_seed());
  std::mt19937_64 random(test_seed());
  for (const std::string& name : system::system_names()) {
    const system::Fabric fabric(system::load_system(name));
    const auto links = static_cast<unsigned>(fabric.links().size());
    for (const unsigned broken : {1U, links / 20, links / 2}) {
      const unsigned nodes = broken == 1 ? 0 : broken / 20;
      CAPTURE(name, broken, nodes);
      const FaultScript script = outage(fabric, broken, nodes, &random);
      FaultState state(fabric, script, 0);
      for (std::size_t n = 0; n < script.faults.size(); ++n) state.begin(n, 0);
      system::Outage out;
      for (std::uint32_t n = 0; n < links; ++n) out.links.push_back(!state.usable(n));
      RepairedRoutes routes(state);
      const unsigned vcs = routes.vcs();
      REQUIRE(vcs <= 9);
      // By buffer, channel * vcs + vc: those that a train waits for while it holds this one.
      std::vector<std::set<std::size_t>> next(2 * links * vcs);
      // A sample of the sources of large systems.
      const std::uint32_t step = fabric.chips() > 100 ? 7 : 1;
      for (std::uint32_t source = 0; source < fabric.chips(); source += step) {
        const system::Routes any(fabric, source, out);
        for (std::uint32_t target = 0; target < fabric.chips(); ++target) {
          if (source == target) continue;
          std::vector<Hop> hops;
          const Transfer transfer = {source, target, 64, 3, source % 3, 0};
          REQUIRE(routes.path(transfer, &hops) ==
                  (any.hops(target) != system::Routes::kUnreachable));
          std::uint32_t at = source;
          for (std::size_t n = 0; n < hops.size(); ++n) {
            const system::Link& link = fabric.links()[hops[n].channel / 2];
            REQUIRE(state.usable(hops[n].channel / 2));
            REQUIRE((hops[n].channel % 2 == 0 ? link.a : link.b) == at);
            at = link.other(at);
            REQUIRE(hops[n].first_vc < vcs);
            if (n > 0)
              next[hops[n - 1].channel * vcs + hops[n - 1].first_vc].insert(hops[n].channel * vcs +
                                                                            hops[n].first_vc);
          }
          REQUIRE((hops.empty() || at == target));
        }
      }
      CHECK_FALSE(has_circle(next));
    }
  }
}

TEST_CASE("repaired routes: a dead switch of a rack is divided among the others") {
  const system::Fabric fabric(system::load_system("trn3-nl32x2-gen2"));
  FaultState state =
      state_of("  - {at_us: 0, fault: dead_switch, switch: rack0.plane0.switch1}\n", fabric);
  RepairedRoutes routes(state);
  state.begin(0, 0);
  std::set<std::uint32_t> used;
  std::size_t longest = 0;
  for (std::uint32_t stream = 0; stream < 100; ++stream) {
    std::vector<Hop> hops;
    REQUIRE(routes.path({0, 2, 64, 3, stream, 0}, &hops));
    longest = std::max(longest, hops.size());
    used.insert(hops[0].channel);
  }
  CHECK(longest == 2);
  CHECK(used.size() == fabric.config().rack_switches->switches - 1);
}

}  // namespace tern::tb

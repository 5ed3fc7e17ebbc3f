// SPDX-License-Identifier: Apache-2.0
// Collectives at level flow against level packet, which queues every packet.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tb/collectives/group.h"

using namespace tern;               // NOLINT: a test uses the names of what it tests
using namespace tern::collectives;  // NOLINT

namespace {

// Those whose puts at a time meet few others on a link, on these systems.
bool is_alone(const std::string& algorithm) {
  for (const char* name :
       {"ring", "two-rings", "doubling", "halving-doubling", "axes", "pipelined-axes"}) {
    if (algorithm == name) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("levels of collectives: flow is packet without congestion, and seldom slower with it") {
  constexpr std::uint64_t kBytes = 4 << 20;
  for (const char* system : {"trn3-nl16-2d", "trn3-nl64-3d", "trn3-nl32x2-gen1"}) {
    const tb::Group group(system);
    for (const Operation operation :
         {Operation::kAllReduce, Operation::kAllGather, Operation::kAllToAll}) {
      for (const std::string& algorithm : algorithms_for(group.problem(operation), group.axes)) {
        const auto time = [&](const std::string& level) {
          return static_cast<double>(group.run(algorithm, operation, kBytes, level).time);
        };
        const double ratio = time("flow") / time("packet");
        CAPTURE(system, name_of(operation), algorithm);
        CHECK(ratio > (is_alone(algorithm) ? 0.97 : 0.6));
        CHECK(ratio < 1.15);
      }
    }
  }
}

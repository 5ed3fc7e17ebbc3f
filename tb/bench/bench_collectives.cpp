// SPDX-License-Identifier: Apache-2.0
// What tern cc does among 144 chips: the symbolic execution of a schedule, against its steps
// without what is known at each; and its time at level flow, against the same at level packet.
// Use: bench_collectives [--rounds N] [--json FILE]
#include <cstdio>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "sw/collectives/algorithms/algorithms.h"
#include "sw/collectives/verify.h"
#include "sw/collectives/walk.h"
#include "sw/system/fabric.h"
#include "systemc/collectives/layout.h"
#include "systemc/collectives/schedule_run.h"
#include "systemc/fabric/levels/levels.h"
#include "systemc/fabric/packet/routes.h"
#include "tb/bench/bench_support.h"

namespace {

using tern::collectives::Schedule;

constexpr std::uint64_t kBytes = 64ULL << 20;

class Steps : public tern::collectives::Visitor {
 public:
  void put(const At& at, const tern::collectives::Step& step) override { (void)at, (void)step; }
};

struct Rack {
  Rack() : fabric(tern::system::load_system("trn3-nl72x2-gen1")), chips(fabric.chips()) {
    std::iota(chips.begin(), chips.end(), 0U);
  }
  Schedule schedule(const std::string& algorithm) const {
    tern::collectives::Problem problem;
    problem.operation = tern::collectives::Operation::kAllReduce;
    problem.ranks = fabric.chips();
    return make_schedule(algorithm, problem, tern::collectives::axes_of(fabric, chips));
  }
  double run(const Schedule& schedule, const std::string& level) const {
    const auto transport = tern::fabric::make_transport(level, fabric);
    const auto times = tern::collectives::core_times_of(fabric.config().collectives);
    return tern::bench::seconds([&] {
      run_schedule(schedule,
                   {chips, kBytes, tern::collectives::planes_of(fabric),
                    tern::collectives::ways_of(fabric, *routes)},
                   times, *transport);
    });
  }

  tern::system::Fabric fabric;
  std::vector<std::uint32_t> chips;
  std::unique_ptr<tern::fabric::packet::Routes> routes = tern::fabric::packet::routes_of(fabric);
};

int run(const tern::bench::Options& options) {
  const Rack rack;
  const Schedule verified = rack.schedule("pipelined-axes"), timed = rack.schedule("axes");
  std::vector<double> walk, verify, flow, packet;
  for (unsigned round = 0; round < options.rounds; ++round) {
    Steps steps;
    walk.push_back(tern::bench::seconds([&] { tern::collectives::walk(verified, &steps); }));
    verify.push_back(tern::bench::seconds([&] { tern::collectives::verify(verified); }));
    flow.push_back(rack.run(timed, "flow"));
    packet.push_back(rack.run(timed, "packet"));
  }
  using tern::bench::median;
  const double over_walk = median(verify) / median(walk), speed = median(packet) / median(flow);
  std::printf("AllReduce of 144 chips: verified in %.2f s, its steps alone %.2f s\n",
              median(verify), median(walk));
  std::printf("64 MiB: %.2f s at level flow, %.2f s at level packet\n", median(flow),
              median(packet));
  tern::bench::write_figures(options.json, {{"collectives_verify_over_steps", over_walk},
                                            {"collectives_steps_seconds", median(walk)},
                                            {"collectives_flow_over_packet", speed},
                                            {"collectives_packet_seconds", median(packet)}});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tern::bench::run_bench(argc, argv, "bench_collectives", 3, run);
}

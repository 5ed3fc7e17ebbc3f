// SPDX-License-Identifier: Apache-2.0
// The packet level without SystemC: trains through one switch, by one thread. Every chip of a star
// sends to random others without a pause, so that queues are full and outputs contended.
// Use: bench_fabric [--rounds N] [--json FILE]
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "systemc/fabric/packet/packet_network.h"
#include "tb/bench/bench_support.h"
#include "tb/fabric/packet/star.h"

namespace {

using tern::bench::Options;

constexpr std::uint32_t kTrain = 4096;

struct Figure {
  const char* name;
  std::uint32_t ports, trains;
};

constexpr Figure kFigures[] = {{"fabric_switch20_trains_per_s", 20, 1'000'000},
                               {"fabric_switch72_trains_per_s", 72, 1'000'000}};

double seconds_of(const Figure& figure) {
  auto network = tern::tb::star_network(figure.ports, kTrain, 16 * kTrain);
  std::mt19937_64 random(1);
  for (std::uint32_t n = 0; n < figure.trains / 16; ++n) {
    tern::fabric::Transfer t;
    t.source = n % figure.ports;
    t.target = static_cast<std::uint32_t>(random() % (figure.ports - 1));
    if (t.target >= t.source) ++t.target;
    t.bytes = 16 * kTrain;
    network.send(t, 0);
  }
  std::vector<tern::fabric::Delivery> arrived;
  return tern::bench::seconds([&] { network.advance(tern::fabric::kNever - 1, arrived); });
}

int run(const Options& options) {
  std::vector<std::pair<std::string, double>> figures;
  for (const Figure& figure : kFigures) {
    std::vector<double> times;
    for (unsigned round = 0; round < options.rounds; ++round) times.push_back(seconds_of(figure));
    const double rate = figure.trains / tern::bench::median(times);
    std::printf("%-30s %8.0f trains/s of host time\n", figure.name, rate);
    figures.emplace_back(figure.name, rate);
  }
  tern::bench::write_figures(options.json, figures);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tern::bench::run_bench(argc, argv, "bench_fabric", 3, run);
}

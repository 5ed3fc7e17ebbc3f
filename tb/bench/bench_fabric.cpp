// SPDX-License-Identifier: Apache-2.0
// The packet level without SystemC, by one thread: trains through one switch. Every chip of a star
// sends to random others without a pause, so that queues are full and outputs contended. Then each
// sends to the next one, so that every stream is alone, against every train of these simulated.
// Use: bench_fabric [--rounds N] [--json FILE]
#include <cstdio>
#include <memory>
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

double seconds_of_ring(bool every_train) {
  constexpr std::uint32_t kPorts = 20;
  constexpr unsigned kTransfers = 50;  // of each chip, one after the other
  tern::fabric::packet::Shape shape = tern::tb::star(kPorts, kTrain, 64 * kTrain);
  shape.every_train = every_train;
  tern::fabric::packet::PacketNetwork network(shape, std::make_unique<tern::tb::StarRoutes>());
  std::vector<tern::fabric::Delivery> arrived;
  return tern::bench::seconds([&] {
    tern::fabric::Time now = 0;
    for (unsigned n = 0; n < kTransfers; ++n) {
      for (std::uint32_t chip = 0; chip < kPorts; ++chip)
        network.send({chip, (chip + 1) % kPorts, 256 * kTrain}, now);
      network.advance(tern::fabric::kNever - 1, arrived);
      now = arrived.back().arrived;
    }
  });
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
  std::vector<double> alone, trains;
  for (unsigned round = 0; round < options.rounds; ++round) {
    alone.push_back(seconds_of_ring(false));
    trains.push_back(seconds_of_ring(true));
  }
  using tern::bench::median;
  std::printf("streams alone: %.3f s, train by train %.3f s\n", median(alone), median(trains));
  figures.emplace_back("fabric_alone_over_trains", median(trains) / median(alone));
  figures.emplace_back("fabric_ring_trains_seconds", median(trains));
  tern::bench::write_figures(options.json, figures);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tern::bench::run_bench(argc, argv, "bench_fabric", 3, run);
}

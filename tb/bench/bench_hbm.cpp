// SPDX-License-Identifier: Apache-2.0
// The HBM model without SystemC: requests per second of one thread. Every request carries data.
// Use: bench_hbm [--rounds N] [--json FILE]
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "systemc/hbm/stack.h"
#include "tb/bench/bench_support.h"

namespace {

using tern::hbm::Completion;
using tern::hbm::Request;
using tern::hbm::Stack;

struct Pattern {
  const char* figure;
  std::uint32_t bytes;
  std::uint64_t requests;
  bool random;
};

constexpr Pattern kPatterns[] = {{"hbm_stream_req_per_s", 64, 1'000'000, false},
                                 {"hbm_random_req_per_s", 64, 1'000'000, true},
                                 {"hbm_stream_1k_req_per_s", 1024, 1'000'000, false},
                                 {"hbm_random_1k_req_per_s", 1024, 300'000, true}};

// Host seconds; a new request is sent whenever the queues have room.
double run_pattern(const Pattern& pattern, double* share_of_peak) {
  const tern::hbm::Config config;
  Stack stack(config);
  std::vector<std::uint8_t> data(pattern.bytes);
  std::mt19937_64 random(1);
  std::uint64_t now = 0;
  const auto next_request = [&](std::uint64_t number) {
    Request request;
    request.id = number;
    request.bytes = pattern.bytes;
    request.traffic_class = 0;
    request.data = data.data();
    request.offset = pattern.random
                         ? random() % (config.stack_bytes / pattern.bytes) * pattern.bytes
                         : number * pattern.bytes;
    return request;
  };
  const double seconds = tern::bench::seconds([&] {
    for (std::uint64_t i = 0; i < pattern.requests; ++i) {
      const Request request = next_request(i);
      while (!stack.accepts(now, request)) {
        now = stack.next_event_fs(true);
        stack.advance(now, [](const Completion&) {});
      }
      stack.submit(now, request);
    }
    while (!stack.idle()) {
      now = stack.next_event_fs();
      stack.advance(now, [](const Completion&) {});
    }
  });
  const double bytes = static_cast<double>(pattern.requests) * pattern.bytes;
  *share_of_peak = bytes * 1e6 / static_cast<double>(now) / config.stack_gb_per_s();
  return seconds;
}

int run(const tern::bench::Options& options) {
  std::vector<std::pair<std::string, double>> figures;
  for (const Pattern& pattern : kPatterns) {
    std::vector<double> times;
    double share = 0;
    for (unsigned round = 0; round < options.rounds; ++round)
      times.push_back(run_pattern(pattern, &share));
    const double rate = static_cast<double>(pattern.requests) / tern::bench::median(times);
    std::printf("%-24s %8.0f requests/s of host time, %5.1f %% of the pins' bandwidth\n",
                pattern.figure, rate, share * 100);
    figures.emplace_back(pattern.figure, rate);
  }
  tern::bench::write_figures(options.json, figures);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tern::bench::run_bench(argc, argv, "bench_hbm", 3, run);
}

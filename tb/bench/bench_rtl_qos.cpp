// SPDX-License-Identifier: Apache-2.0
// Decisions per second of the QoS arbiter: the Verilated block and its model, 16 rings that always
// request, a decision in every cycle; the decisions of both are compared, too.
#include <algorithm>
#include <cstdio>
#include <random>

#include "systemc/cosim/qos_rtl.h"
#include "systemc/qos/arbiter.h"
#include "tb/bench/bench_support.h"

namespace {

using tern::bench::seconds;

constexpr std::size_t kCycles = 200000;
constexpr unsigned kRings = tern::QosRtl::kRequesters;

struct Traffic {
  tern::qos::Settings settings{
      tern::qos::Policy::kWeighted, {4096, 2048, 1024, 512}, {65536, 65536, 65536, 65536}};
  std::uint32_t class_of[kRings], bytes_of[kRings];
  std::vector<std::uint16_t> requests = std::vector<std::uint16_t>(kCycles);

  Traffic() {
    std::mt19937 random(0);
    for (unsigned i = 0; i < kRings; ++i) {
      class_of[i] = i % tern::qos::kClasses;
      bytes_of[i] = 64u << i % 8;
    }
    for (auto& mask : requests) mask = static_cast<std::uint16_t>(random() | 1);
  }
};

std::vector<std::uint8_t> run_rtl(const Traffic& traffic) {
  std::vector<std::uint8_t> granted(kCycles);
  tern::QosRtl rtl;
  rtl.configure(traffic.settings);
  for (std::size_t t = 0; t < kCycles; ++t) {
    granted[t] = static_cast<std::uint8_t>(
        rtl.offer(true, traffic.requests[t], traffic.class_of, traffic.bytes_of).requester);
    rtl.tick();
  }
  return granted;
}

std::vector<std::uint8_t> run_model(const Traffic& traffic) {
  std::vector<std::uint8_t> granted(kCycles);
  tern::qos::Arbiter model(kRings);
  model.configure(traffic.settings, 0);
  for (std::size_t t = 0; t < kCycles; ++t) {
    const unsigned ring = *model.pick(t, traffic.class_of, traffic.requests[t]);
    model.granted(t, ring, traffic.class_of[ring], traffic.bytes_of[ring]);
    granted[t] = static_cast<std::uint8_t>(ring);
  }
  return granted;
}

int run(const tern::bench::Options& options) {
  const Traffic traffic;
  std::vector<std::uint8_t> rtl, model;
  double rtl_time = 1e9, model_time = 1e9;
  for (unsigned i = 0; i < options.rounds; ++i) {
    rtl_time = std::min(rtl_time, seconds([&] { rtl = run_rtl(traffic); }));
    model_time = std::min(model_time, seconds([&] { model = run_model(traffic); }));
  }
  std::size_t wrong = 0;
  for (std::size_t t = 0; t < kCycles; ++t) wrong += rtl[t] != model[t];
  std::printf("QoS arbiter, %u rings, best of %u rounds\n", kRings, options.rounds);
  std::printf("  %-34s %8.2f M cycles/s\n", "RTL", kCycles / rtl_time * 1e-6);
  std::printf("  %-34s %8.2f M decisions/s\n", "model", kCycles / model_time * 1e-6);
  std::printf("  %-34s %8zu\n", "decisions that differ", wrong);
  tern::bench::write_figures(options.json, {{"rtl_qos_cycles_per_s", kCycles / rtl_time},
                                            {"model_qos_decisions_per_s", kCycles / model_time}});
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return tern::bench::run_bench(argc, argv, "bench_rtl_qos", 20, run);
}

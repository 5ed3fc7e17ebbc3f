// SPDX-License-Identifier: Apache-2.0
// Cycles per second of the DMA engine: the Verilated block and its model at the same ports. 16
// rings, packets of two buffers of 4 KiB; a memory that answers 100 cycles after a request. Both
// must take the same cycles.
#include <algorithm>
#include <cstdio>

#include "systemc/cosim/dma_rtl.h"
#include "systemc/dma/model/unit_model.h"
#include "tb/bench/bench_support.h"
#include "tb/dma/model/unit_bench.h"

namespace {

using tern::bench::seconds;
using tern::tb::UnitBench;

constexpr unsigned kRings = 16, kPackets = 16;
constexpr std::uint32_t kBuffer = 4096;

struct Result {
  std::uint64_t cycles = 0, bytes = 0;
  double time = 0;
};

Result run(const UnitBench::Make& make) {
  UnitBench bench(make);
  bench.keeps_record = false;
  bench.latency = [](const tern::dma::Request&) { return std::uint64_t{100}; };
  Result result;
  for (unsigned ring = 0; ring < kRings; ++ring) {
    bench.set_up(ring, 64, ring % 4);
    for (unsigned p = 0; p < kPackets; ++p) {
      for (unsigned half = 0; half < 2; ++half) {
        const std::uint64_t at = (ring * 64 + 2 * p + half) * std::uint64_t{kBuffer};
        bench.put(ring, UnitBench::copy_pair(0x1000'0000 + at, kBuffer, 0x2000'0000 + at, kBuffer,
                                             half == 0, half == 1));
        result.bytes += kBuffer;
      }
    }
  }
  const std::uint64_t begin = bench.now();
  for (unsigned ring = 0; ring < kRings; ++ring) bench.release(ring, 2 * kPackets);
  result.time = seconds([&] { bench.run(); });
  result.cycles = bench.now() - begin;
  return result;
}

int compare(const tern::bench::Options& options) {
  const tern::dma::UnitConfig config;
  Result rtl, model;
  for (unsigned i = 0; i < options.rounds; ++i) {
    const Result r = run([&config](tern::dma::Environment& s) {
      return std::make_unique<tern::dma::DmaRtl>(config, s);
    });
    const Result m =
        run([&config](tern::dma::Environment& s) { return tern::dma::make_unit_model(config, s); });
    if (i == 0 || r.time < rtl.time) rtl = r;
    if (i == 0 || m.time < model.time) model = m;
  }
  const auto per_s = [](const Result& r, double what) { return what / r.time; };
  const auto cycles = static_cast<double>(rtl.cycles), bytes = static_cast<double>(rtl.bytes);
  std::printf("DMA engine, %u rings, best of %u rounds, %.1f bytes per cycle\n", kRings,
              options.rounds, bytes / cycles);
  std::printf("  %-8s %8.3f M cycles/s %8.1f MB/s\n", "RTL", per_s(rtl, cycles) * 1e-6,
              per_s(rtl, bytes) * 1e-6);
  std::printf("  %-8s %8.3f M cycles/s %8.1f MB/s\n", "model", per_s(model, cycles) * 1e-6,
              per_s(model, bytes) * 1e-6);
  tern::bench::write_figures(options.json, {{"rtl_dma_cycles_per_s", per_s(rtl, cycles)},
                                            {"rtl_dma_bytes_per_s", per_s(rtl, bytes)}});
  if (rtl.cycles == model.cycles) return 0;
  std::printf("  RTL takes %llu cycles, its model %llu\n",
              static_cast<unsigned long long>(rtl.cycles),
              static_cast<unsigned long long>(model.cycles));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  return tern::bench::run_bench(argc, argv, "bench_rtl_dma", 10, compare);
}

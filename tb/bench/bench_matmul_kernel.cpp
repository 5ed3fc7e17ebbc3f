// SPDX-License-Identifier: Apache-2.0
// The matmul kernel on a simulated trn3 core, fast model: utilisation of the tensor engine with
// operands in SBUF, and the DMA-bound case against its bound. Use: bench_matmul_kernel [--json
// FILE]
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <systemc>
#include <vector>

#include "sw/config/dma_rates.h"
#include "sw/kernels/matmul.h"
#include "tb/bench/bench_support.h"
#include "tb/runtime/platform.h"

namespace {

using tern::kernels::MatmulPart;
using tern::kernels::MatmulSpec;

struct Bench {
  tern::tb::Platform platform;
  double wall_seconds = 0;

  // Simulated seconds of each part, operands zero: time does not depend on them.
  std::vector<double> seconds(MatmulSpec spec, const std::vector<MatmulPart>& parts) {
    tern::runtime::Runtime& runtime = platform.runtime;
    const tern::runtime::Buffer a = runtime.allocate("a", spec.k * spec.m * 2);
    const tern::runtime::Buffer b = runtime.allocate("b", spec.k * spec.n * 2);
    const tern::runtime::Buffer c = runtime.allocate("c", spec.m * spec.n * 4);
    std::vector<double> result;
    for (const MatmulPart part : parts) {
      spec.part = part;
      auto program = runtime.load(tern::kernels::build_matmul(spec, platform.config),
                                  {{"a", &a}, {"b", &b}, {"c", &c}});
      const auto start = std::chrono::steady_clock::now();
      result.push_back(runtime.run(program).seconds());
      wall_seconds +=
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    return result;
  }
};

MatmulSpec shape(std::uint64_t m, std::uint64_t k, std::uint64_t n) {
  MatmulSpec spec;
  spec.m = m;
  spec.k = k;
  spec.n = n;
  return spec;
}

int run(const tern::bench::Options& options) {
  Bench bench;
  double utilisation = 0;
  std::vector<double> over_bound;  // 2048, 4096, 8192
  bench.platform.run([&] {
    const tern::ChipConfig& chip = bench.platform.config;
    // Ideal: one moving column a cycle, 128 x 128 multiply-adds each.
    const double n = 2048;
    const double ideal = n * n * n / (128 * 128) / (chip.core.tensor_clock_ghz * 1e9);
    const auto parts =
        bench.seconds(shape(2048, 2048, 2048), {MatmulPart::kLoad, MatmulPart::kCompute});
    utilisation = ideal / parts[1];
    std::printf(
        "2048 x 2048 x 2048, operands in SBUF: %.1f us, tensor engine ideally %.1f us: %.1f %% "
        "(loading them takes %.1f us)\n",
        parts[1] * 1e6, ideal * 1e6, utilisation * 100, parts[0] * 1e6);
    const double rate = tern::practical_gb_per_s(chip) * 1e9;
    for (const std::uint64_t size : {2048, 4096, 8192}) {
      const double bytes = static_cast<double>(size * 128 * 2 + size * size * 2 + 128 * size * 4);
      const double bound = bytes / rate;
      const double time = bench.seconds(shape(128, size, size), {MatmulPart::kAll})[0];
      std::printf("128 x %llu x %llu from HBM: %.1f us, DMA bound %.1f us: %.3f\n",
                  static_cast<unsigned long long>(size), static_cast<unsigned long long>(size),
                  time * 1e6, bound * 1e6, time / bound);
      over_bound.push_back(time / bound);
    }
  });
  std::printf("wall time of the runs %.2f s\n", bench.wall_seconds);
  // The flat name is the largest size's; latencies that do not shrink with the work weigh more in
  // the others.
  tern::bench::write_figures(options.json, {{"matmul_sbuf_utilisation", utilisation},
                                            {"matmul_hbm_over_bound", over_bound[2]},
                                            {"matmul_hbm_over_bound_2048", over_bound[0]},
                                            {"matmul_hbm_over_bound_4096", over_bound[1]},
                                            {"matmul_kernel_wall_s", bench.wall_seconds}});
  return 0;
}

}  // namespace

int sc_main(int argc, char** argv) {
  return tern::bench::run_bench(argc, argv, "bench_matmul_kernel", 1, run);
}

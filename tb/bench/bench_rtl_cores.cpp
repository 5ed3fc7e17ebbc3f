// SPDX-License-Identifier: Apache-2.0
// Verilated engines in all eight cores of a trn3 at once, on one thread of the host and on one per
// processor: the tensor engine of each core multiplies 512 x 512 x 512 out of its SBUF, then its
// exponential unit takes 4 tiles of [128, 8192]. Two chips run by turns in one process; their
// times, cycles and results have to be the same.
// Use: bench_rtl_cores [--rounds N] [--json FILE]
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "sw/base/thread_team.h"
#include "sw/config/load_chip_config.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/matmul.h"
#include "sw/numerics/bf16.h"
#include "sw/platform/hosted_chip.h"
#include "sw/runtime/runtime.h"
#include "systemc/chip/simulation.h"
#include "systemc/cosim/rtl_chip_options.h"
#include "tb/bench/bench_support.h"

namespace {

using tern::kernels::MatmulPart;
using tern::kernels::MatmulSpec;
using tern::runtime::Buffer;
using tern::runtime::Program;

using tern::numerics::DType;

constexpr unsigned kSize = 512, kExponentials = 8192;

std::vector<std::uint16_t> random_bf16(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<std::uint16_t> values(std::size_t{kSize} * kSize);
  for (std::uint16_t& value : values) value = tern::numerics::bf16_from_float(normal(random));
  return values;
}

// A chip with a product in each core.
class Side {
 public:
  Side(const std::string& name, const tern::ChipConfig& config, unsigned threads)
      : chip_(name, config, tern::rtl_chip_options(threads)), runtime_(chip_.host()) {}

  // Copies the operands and loads them into SBUF.
  void prepare() {
    for (unsigned core = 0; core < runtime_.cores(); ++core) {
      const std::uint64_t elements = std::uint64_t{kSize} * kSize;
      const std::vector<std::uint16_t> a = random_bf16(2 * core), b = random_bf16(2 * core + 1);
      buffers_.push_back(runtime_.allocate("a", elements * 2, core));
      runtime_.copy_to_device(buffers_.back(), a.data(), elements * 2);
      buffers_.push_back(runtime_.allocate("b", elements * 2, core));
      runtime_.copy_to_device(buffers_.back(), b.data(), elements * 2);
      buffers_.push_back(runtime_.allocate("c", elements * 4, core));
    }
    run(MatmulPart::kLoad);
  }

  // All cores at once; seconds of the host, and in `simulated` of the chip.
  double run(MatmulPart part, double* simulated = nullptr) {
    MatmulSpec spec;
    spec.m = spec.k = spec.n = kSize;
    spec.part = part;
    const tern::Executable executable = tern::kernels::build_matmul(spec, chip_.config());
    std::vector<Program> programs;
    for (unsigned core = 0; core < runtime_.cores(); ++core) {
      const Buffer* buffer = &buffers_[3 * core];
      programs.push_back(
          runtime_.load(executable, {{"a", buffer}, {"b", buffer + 1}, {"c", buffer + 2}}, core));
    }
    return run(programs, simulated);
  }

  // Exponentials of what is in SBUF.
  double run_exponentials(double* simulated) {
    tern::kernels::KernelBuilder kb("exponentials", chip_.config());
    kb.check_use(false);  // any operands
    const auto x = kb.sbuf_tile("x", 128, kExponentials, DType::kBf16);
    const auto y = kb.sbuf_tile("y", 128, kExponentials, DType::kBf16);
    for (unsigned i = 0; i < 4; ++i) kb.exponential(i % 2 ? x : y, i % 2 ? y : x);
    const tern::Executable executable = kb.finish();
    std::vector<Program> programs;
    for (unsigned core = 0; core < runtime_.cores(); ++core)
      programs.push_back(runtime_.load(executable, {}, core));
    return run(programs, simulated);
  }

  double run(std::vector<Program>& programs, double* simulated) {
    chip_.set_running(programs.front().executable());
    chip_.settle();
    return tern::bench::seconds([&] {
      start_together(programs);
      for (Program& program : programs) {
        const double seconds = runtime_.wait(program).seconds();
        if (simulated != nullptr) *simulated += seconds;
      }
    });
  }

  std::vector<std::uint32_t> results() {
    std::vector<std::uint32_t> all;
    std::vector<std::uint32_t> c(std::size_t{kSize} * kSize);
    for (unsigned core = 0; core < runtime_.cores(); ++core) {
      runtime_.copy_from_device(buffers_[3 * core + 2], c.data(), c.size() * 4);
      all.insert(all.end(), c.begin(), c.end());
    }
    return all;
  }

  unsigned cores() { return runtime_.cores(); }

 private:
  // A host that starts one core after the other takes longer than their work does.
  void start_together(std::vector<Program>& programs) {
    std::vector<sc_core::sc_process_handle> hosts;
    for (Program& program : programs) {
      hosts.push_back(sc_core::sc_spawn([this, &program] { runtime_.execute(program); }));
    }
    for (sc_core::sc_process_handle& host : hosts) {
      if (!host.terminated()) sc_core::wait(host.terminated_event());
    }
  }

  tern::HostedChip chip_;
  tern::runtime::Runtime runtime_;
  std::vector<Buffer> buffers_;  // a, b, c of each core
};

int run(const tern::bench::Options& options) {
  const unsigned threads = tern::base::usable_processors();
  tern::Simulation simulation;
  tern::ChipConfig config = tern::load_chip_config("trn3").chip;
  config.tensor.assign(config.tensor.size(), tern::Backend::kRtl);
  config.exp.assign(config.exp.size(), tern::Backend::kRtl);
  Side one("one", config, 1), team("team", config, threads);
  std::vector<double> speedups, seconds, exp_speedups;
  simulation.run([&] {
    one.prepare();
    team.prepare();
    for (unsigned round = 0; round < options.rounds; ++round) {
      double time_one = 0, time_team = 0;
      const double alone = one.run(MatmulPart::kCompute, &time_one);
      const double together = team.run(MatmulPart::kCompute, &time_team);
      if (time_one != time_team) throw std::runtime_error("the number of threads changes the time");
      seconds.push_back(together);
      speedups.push_back(alone / together);
      std::printf("%u cores, %.2f us: %.2f s on one thread, %.2f s on %u\n", one.cores(),
                  time_one / one.cores() * 1e6, alone, together, threads);
      double exp_one = 0, exp_team = 0;
      const double exp_alone = one.run_exponentials(&exp_one);
      const double exp_together = team.run_exponentials(&exp_team);
      if (exp_one != exp_team) throw std::runtime_error("the number of threads changes the time");
      exp_speedups.push_back(exp_alone / exp_together);
      std::printf("  exponential units, %.2f us: %.2f s on one thread, %.2f s on %u\n",
                  exp_one / one.cores() * 1e6, exp_alone, exp_together, threads);
    }
    if (one.results() != team.results())
      throw std::runtime_error("the number of threads changes the results");
  });
  const double speedup = tern::bench::median(speedups);
  const double exp_speedup = tern::bench::median(exp_speedups);
  std::printf("%.2f times as fast on %u threads, exponential units %.2f times\n", speedup, threads,
              exp_speedup);
  tern::bench::write_figures(options.json,
                             {{"rtl_cores_seconds", tern::bench::median(seconds)},
                              {"rtl_cores_threads", threads},
                              {"rtl_cores_speedup", speedup},
                              {"rtl_cores_speedup_per_thread", speedup / threads},
                              {"rtl_exp_cores_speedup_per_thread", exp_speedup / threads}});
  return 0;
}

}  // namespace

int sc_main(int argc, char** argv) {
  return tern::bench::run_bench(argc, argv, "bench_rtl_cores", 3, run);
}

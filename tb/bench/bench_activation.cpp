// SPDX-License-Identifier: Apache-2.0
// Activation functions of the Scalar engine's model: elements per second, and the ratio to the C
// library's functions in the same run. Use: bench_activation [--rounds N] [--json FILE]
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sw/numerics/activation.h"
#include "sw/numerics/fp_modes.h"
#include "tb/bench/bench_support.h"

namespace {

using tern::numerics::ActFunction;

constexpr std::size_t kElements = 1 << 20;

struct Function {
  const char* name;
  ActFunction function;
  float (*library)(float);
};

float library_gelu(float x) {
  return 0.5f * x * std::erfc(x * -0.70710678f);
}
float library_silu(float x) {
  return x / (1.0f + std::exp(-x));
}
float library_tanh(float x) {
  return std::tanh(x);
}
float library_log(float x) {
  return std::log(x);
}

constexpr Function kFunctions[] = {{"gelu", ActFunction::kGelu, library_gelu},
                                   {"silu", ActFunction::kSilu, library_silu},
                                   {"tanh", ActFunction::kTanh, library_tanh},
                                   {"log", ActFunction::kLog, library_log}};

int run(const tern::bench::Options& options) {
  const tern::numerics::ScopedFpModes modes;
  std::mt19937 random(0);
  std::uniform_real_distribution<float> uniform(-6.0f, 6.0f);
  std::vector<float> u(kElements), y(kElements);
  std::vector<std::pair<std::string, double>> figures;
  for (const Function& f : kFunctions) {
    for (float& x : u)
      x = f.function == ActFunction::kLog ? std::fabs(uniform(random)) : uniform(random);
    std::vector<double> ours, theirs;
    volatile float sink = 0;
    for (unsigned round = 0; round < options.rounds; ++round) {
      ours.push_back(tern::bench::seconds(
          [&] { tern::numerics::activate(f.function, u.data(), y.data(), kElements); }));
      sink = y[round % kElements];
      theirs.push_back(tern::bench::seconds([&] {
        for (std::size_t i = 0; i < kElements; ++i) y[i] = f.library(u[i]);
      }));
      sink = y[round % kElements];
    }
    (void)sink;
    const double time = tern::bench::median(ours), ratio = tern::bench::median(theirs) / time;
    std::printf("%-5s %6.0f M elements/s, %.1f times the C library\n", f.name,
                kElements / time * 1e-6, ratio);
    figures.emplace_back(std::string("activation_") + f.name + "_per_s", kElements / time);
    figures.emplace_back(std::string("activation_") + f.name + "_over_libm", ratio);
    figures.emplace_back(std::string("libm_") + f.name + "_per_s",
                         kElements / tern::bench::median(theirs));
  }
  tern::bench::write_figures(options.json, figures);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tern::bench::run_bench(argc, argv, "bench_activation", 5, run);
}

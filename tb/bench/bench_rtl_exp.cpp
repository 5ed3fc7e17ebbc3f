// SPDX-License-Identifier: Apache-2.0
// Exponentials per second: the Verilated unit, its fast model and a plain loop over the scalar
// definition, alternately. Softmax-like rows with running sums.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>

#include "sw/numerics/exp.h"
#include "sw/numerics/fp_modes.h"
#include "systemc/cosim/exp_rtl.h"
#include "tb/bench/bench_support.h"

namespace {

using tern::bench::seconds;

constexpr std::size_t kElements = 2048;
constexpr double kResults = double{tern::kExpPartitions} * kElements;

struct Rows {
  std::vector<float> x = std::vector<float>(tern::kExpPartitions * kElements), y = x;
  std::vector<float> m = std::vector<float>(tern::kExpPartitions), sums = m;

  Rows() {
    std::mt19937 random(0);
    std::normal_distribution<float> normal(0.0f, 4.0f);
    for (float& value : x) value = normal(random);
    for (unsigned p = 0; p < tern::kExpPartitions; ++p) {
      m[p] = *std::max_element(&x[p * kElements], &x[p * kElements] + kElements);
    }
  }
  void run(tern::ExpUnit& unit) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    tern::ExpRequest request;
    request.partitions = tern::kExpPartitions;
    request.elements = kElements;
    request.source = reinterpret_cast<const std::uint8_t*>(x.data());
    request.source_pitch = request.result_pitch = kElements * sizeof(float);
    request.m = m.data();
    request.result = reinterpret_cast<std::uint8_t*>(y.data());
    request.sum = tern::ExpSum::kAccumulate;
    request.accumulators = sums.data();
    unit.run(request);
  }
  // One element after the other.
  void run_scalar() {
    const tern::numerics::ScopedFpModes modes;
    for (unsigned p = 0; p < tern::kExpPartitions; ++p) {
      float acc = 0.0f;
      for (std::size_t i = p * kElements; i < (p + 1) * kElements; i += 4) {
        for (std::size_t q = i; q < i + 4; ++q)
          y[q] = tern::numerics::exp_of_difference(x[q], m[p]);
        acc += (y[i] + y[i + 1]) + (y[i + 2] + y[i + 3]);
      }
      sums[p] = acc;
    }
  }
};

// The least disturbed of the rounds.
double best(const std::vector<double>& times) {
  return *std::min_element(times.begin(), times.end());
}

std::size_t differ(const std::vector<float>& a, const std::vector<float>& b) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < a.size(); ++i) wrong += std::memcmp(&a[i], &b[i], sizeof a[i]) != 0;
  return wrong;
}

int run(const tern::bench::Options& options) {
  Rows rtl_rows, model_rows, scalar_rows;
  tern::ExpRtl rtl;
  const std::unique_ptr<tern::ExpUnit> model = tern::make_exp_model();
  std::vector<double> rtl_times, model_times, scalar_times, rtl_ratio, model_ratio;
  for (unsigned i = 0; i < options.rounds; ++i) {
    scalar_times.push_back(seconds([&] { scalar_rows.run_scalar(); }));
    model_times.push_back(seconds([&] { model_rows.run(*model); }));
    rtl_times.push_back(seconds([&] { rtl_rows.run(rtl); }));
    rtl_ratio.push_back(scalar_times.back() / rtl_times.back());
    model_ratio.push_back(scalar_times.back() / model_times.back());
  }
  const std::size_t wrong =
      differ(rtl_rows.y, scalar_rows.y) + differ(rtl_rows.sums, scalar_rows.sums) +
      differ(model_rows.y, scalar_rows.y) + differ(model_rows.sums, scalar_rows.sums);
  const auto rate = [](const std::vector<double>& times) { return kResults / best(times); };
  const double cycles = static_cast<double>(tern::exp_cycles(kElements)) / best(rtl_times);

  std::printf("exponential unit, 128 partitions of %zu FP32 elements, best of %u rounds\n",
              kElements, options.rounds);
  std::printf("  %-34s %8.1f M results/s\n", "scalar definition", rate(scalar_times) * 1e-6);
  std::printf("  %-34s %8.1f M results/s  (%.0f cycles/s)\n", "RTL", rate(rtl_times) * 1e-6,
              cycles);
  std::printf("  %-34s %8.1f M results/s\n", "fast model", rate(model_times) * 1e-6);
  std::printf("  %-34s %8.3f, %.3f\n", "RTL, model / scalar, medians",
              tern::bench::median(rtl_ratio), tern::bench::median(model_ratio));
  std::printf("  %-34s %8zu\n", "results and sums that differ", wrong);
  tern::bench::write_figures(options.json,
                             {{"rtl_exp_per_s", rate(rtl_times)},
                              {"rtl_exp_over_scalar", tern::bench::median(rtl_ratio)},
                              {"model_exp_per_s", rate(model_times)},
                              {"model_exp_over_scalar", tern::bench::median(model_ratio)},
                              {"scalar_exp_per_s", rate(scalar_times)},
                              {"rtl_exp_mismatches", static_cast<double>(wrong)}});
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return tern::bench::run_bench(argc, argv, "bench_rtl_exp", 50, run);
}

// SPDX-License-Identifier: Apache-2.0
// The recorded bits of the golden training: those of the models and of the RTL, near FP64.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "sw/app/check/check_run.h"
#include "sw/config/load_chip_config.h"
#include "systemc/chip/simulation.h"
#include "tb/train/training_data.h"

using namespace tern;  // NOLINT: test file
using app::GoldenBits;
using app::GoldenTraining;

namespace {

// What core 0 arrives at on a chip.
GoldenBits trained(const ChipConfig& config) {
  Simulation simulation;
  app::CheckBench bench(config, {});
  app::CheckRecord record;
  record.cores = {0};
  app::CheckRun run(bench, {false, false, true}, &record);
  std::map<unsigned, GoldenBits> bits;
  std::map<unsigned, std::string> failures;
  simulation.run([&] { failures = run.train(&bits); });
  CHECK(failures.at(0).empty());
  return bits.at(0);
}

void check_equal(const GoldenBits& is, const GoldenBits& expected) {
  INFO(app::golden_difference(is, expected).value_or("equal"));
  CHECK(is == expected);
}

}  // namespace

TEST_CASE("golden training: the losses are near those of an FP64 trainer") {
  const train::MlpSpec spec = GoldenTraining::spec();
  tb::HostTrainer host = tb::host_trainer(spec, train::initial_state(spec, 0));
  double first = 0, last = 0;
  for (unsigned step = 0; step < GoldenTraining::kSteps; ++step) {
    std::vector<double> x;
    for (const float value : GoldenTraining::points(step))
      x.push_back(tb::rounded(value, spec.operand()));
    const double loss =
        host.step(x, GoldenTraining::batch(step).labels, GoldenTraining::kRate).loss;
    float recorded = 0;
    std::memcpy(&recorded, &app::golden_bits().losses[step], sizeof recorded);
    INFO("step " << step << ": " << recorded << ", FP64 " << loss);
    // BF16 operands: 2^-9 each, here of losses of 2 to 3.
    CHECK(std::fabs(recorded - loss) < 0.01);
    (step == 0 ? first : last) = loss;
  }
  CHECK(last < first);  // it learns
}

TEST_CASE("golden training: the bits of trn3") {
  check_equal(trained(load_chip_config("trn3").chip), app::golden_bits());
}

TEST_CASE("golden training: the bits of trn1, which has other engines") {
  check_equal(trained(load_chip_config("trn1").chip), app::golden_bits());
}

TEST_CASE("golden training: the bits of the RTL") {
  std::vector<ConfigOverride> overrides;
  for (const char* block : {"tensor", "exp", "mx", "near_memory", "dma_backend"})
    overrides.push_back({fmt::format("{}.0", block), "rtl", "test"});
  check_equal(trained(load_chip_config("trn3", overrides).chip), app::golden_bits());
}

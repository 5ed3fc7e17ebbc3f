// SPDX-License-Identifier: Apache-2.0
// Steps of training on the chip against an FP64 trainer on the host, and its gradients against
// finite differences of the loss.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "sw/data/idx.h"
#include "sw/numerics/convert.h"
#include "sw/train/pruning.h"
#include "tb/common/seed.h"
#include "tb/train/chip_trainer.h"
#include "tb/train/host_trainer.h"
#include "tb/train/training_data.h"

using namespace tern;  // NOLINT: test file
using tb::Batch;
using tb::ChipTrainer;
using tb::host_trainer;
using tb::HostTrainer;
using tb::largest_difference;
using tb::random_batch;
using tb::relative_error;
using tb::rounded;
using train::MlpSpec;
using train::Optimiser;
using train::Precision;

namespace {

Batch digits(const data::ImageSet& set, const MlpSpec& spec, std::size_t first) {
  Batch batch;
  for (std::size_t i = 0; i < spec.batch; ++i) {
    for (std::size_t p = 0; p < set.pixels_per_image(); ++p) {
      batch.x.push_back(
          rounded(static_cast<double>(set.image(first + i)[p]) / 255, spec.operand()));
    }
    batch.labels.push_back(set.labels[first + i]);
  }
  return batch;
}

data::ImageSet training_digits() {
  const std::string folder = TERN_SOURCE_DIR "/sw/examples/digits/data/";
  return data::read_image_set(folder + "train10k-images-idx3-ubyte.gz",
                              folder + "train10k-labels-idx1-ubyte.gz");
}

}  // namespace

TEST_CASE("training: gradients of a tiny network against finite differences") {
  tb::Platform platform;
  std::mt19937_64 random(tb::test_seed());
  MlpSpec spec;
  spec.sizes = {6, 5, 4, 3};
  spec.batch = 7;
  spec.precision = Precision::kFp32;
  const train::State state = train::initial_state(spec, tb::test_seed());
  const Batch batch = random_batch(spec, random);
  platform.run([&] {
    ChipTrainer chip(platform, spec, state, true);
    HostTrainer host = host_trainer(spec, state);
    const double loss = host.evaluate(batch.x, batch.labels).loss;
    CHECK(chip.step(batch.x, batch.labels, 0.1).loss == Approx(loss).epsilon(1e-5));
    constexpr double kStep = 1e-6;
    for (std::size_t i = 0; i < spec.layers(); ++i) {
      for (const bool bias : {false, true}) {
        auto& values = bias ? host.layers[i].bias : host.layers[i].weight;
        const auto got = chip.values(fmt::format("gradient of {}{}", bias ? "b" : "w", i));
        for (std::size_t j = 0; j < values.size(); ++j) {
          const double kept = values[j];
          values[j] = kept + kStep;
          const double above = host.evaluate(batch.x, batch.labels).loss;
          values[j] = kept - kStep;
          const double below = host.evaluate(batch.x, batch.labels).loss;
          values[j] = kept;
          INFO((bias ? "bias " : "weight ") << i << ", element " << j);
          CHECK(got[j] == Approx((above - below) / (2 * kStep)).margin(2e-6).epsilon(1e-4));
        }
      }
    }
  });
}

TEST_CASE("training: ten steps on digits follow the FP64 trainer, every precision and optimiser") {
  // Largest |loss - FP64 loss| of ten steps; relative error of the first layer's weights' change.
  struct Case {
    Precision precision;
    double loss, change;
  };
  const data::ImageSet set = training_digits();
  tb::Platform platform;
  platform.run([&] {
    for (const Optimiser optimiser : {Optimiser::kSgd, Optimiser::kAdamW}) {
      for (const Case& c :
           {Case{Precision::kFp32, 1e-6, 2e-5}, Case{Precision::kBf16, 0.004, 0.1},
            Case{Precision::kStochastic, 0.005, 0.15}, Case{Precision::kMxfp8, 0.03, 0.25}}) {
        MlpSpec spec;
        spec.sizes = {784, 128, 10};
        spec.batch = 128;
        spec.precision = c.precision;
        spec.optimiser = optimiser;
        spec.weight_decay = optimiser == Optimiser::kAdamW ? 0.01f : 0.0f;
        const double rate = optimiser == Optimiser::kSgd ? 0.05 : 0.001;
        const train::State state = train::initial_state(spec, tb::test_seed());
        ChipTrainer chip(platform, spec, state);
        HostTrainer host = host_trainer(spec, state);
        const std::vector<double> before = host.layers[0].weight;
        double worst = 0;
        for (std::size_t step = 0; step < 10; ++step) {
          const Batch batch = digits(set, spec, step * spec.batch);
          const auto got = chip.step(batch.x, batch.labels, rate);
          const auto want = host.step(batch.x, batch.labels, rate);
          worst = std::max(worst, std::fabs(got.loss - want.loss));
          CHECK(std::fabs(static_cast<double>(got.correct) - static_cast<double>(want.correct)) <=
                (c.precision == Precision::kFp32 ? 1 : 6));
        }
        std::vector<double> got_change = chip.values("w0"), want_change = host.layers[0].weight;
        for (std::size_t i = 0; i < before.size(); ++i) {
          got_change[i] -= before[i];
          want_change[i] -= before[i];
        }
        const double change = relative_error(got_change, want_change);
        UNSCOPED_INFO(
            fmt::format("optimiser {}, precision {}: loss off by {:.2g}, weights by {:.2g}",
                        static_cast<int>(optimiser), static_cast<int>(c.precision), worst, change));
        CHECK(worst <= c.loss);
        CHECK(change <= c.change);
      }
    }
  });
}

TEST_CASE("training: networks and batches around the borders of slabs") {
  tb::Platform platform;
  std::mt19937_64 random(tb::test_seed() + 1);
  platform.run([&] {
    for (const auto& [sizes, batch] : std::vector<std::pair<std::vector<std::uint32_t>, unsigned>>{
             {{3, 2}, 1}, {{130, 2, 3}, 1}, {{130, 257, 129, 3}, 130}, {{128, 128, 20}, 256}}) {
      MlpSpec spec;
      spec.sizes = sizes;
      spec.batch = batch;
      spec.precision = Precision::kFp32;
      spec.optimiser = Optimiser::kAdamW;
      const train::State state = train::initial_state(spec, tb::test_seed());
      ChipTrainer chip(platform, spec, state);
      HostTrainer host = host_trainer(spec, state);
      for (unsigned step = 0; step < 3; ++step) {
        const Batch b = random_batch(spec, random);
        CHECK(chip.evaluate(b.x, b.labels) == host.evaluate(b.x, b.labels).correct);
        const double loss = host.step(b.x, b.labels, 0.001).loss;
        CHECK(chip.step(b.x, b.labels, 0.001).loss == Approx(loss).epsilon(1e-4));
      }
      for (std::size_t i = 0; i < spec.layers(); ++i) {
        CHECK(largest_difference(chip.values(fmt::format("w{}", i)), host.layers[i].weight) < 1e-4);
      }
    }
  });
}

TEST_CASE("training: stochastic rounding continues from its generators' state") {
  tb::Platform platform;
  std::mt19937_64 random(tb::test_seed() + 2);
  MlpSpec spec;
  spec.sizes = {20, 16, 4};
  spec.batch = 32;
  spec.precision = Precision::kStochastic;
  const train::State state = train::initial_state(spec, tb::test_seed());
  const Batch first = random_batch(spec, random), second = random_batch(spec, random);
  platform.run([&] {
    ChipTrainer once(platform, spec, state);
    once.step(first.x, first.labels, 0.01);
    const train::State between = once.state();
    once.step(second.x, second.labels, 0.01);
    ChipTrainer resumed(platform, spec, between);
    resumed.step(second.x, second.labels, 0.01);
    CHECK(once.state() == resumed.state());
    CHECK(between.back() != state.back());
    train::State other = between;
    other.back() = state.back();
    ChipTrainer different(platform, spec, other);
    different.step(second.x, second.labels, 0.01);
    CHECK(different.state() != once.state());
  });
}

TEST_CASE("training: what is pruned stays zero, the rest follows the FP64 trainer") {
  tb::Platform platform;
  std::mt19937_64 random(tb::test_seed() + 4);
  MlpSpec spec;
  spec.sizes = {40, 24, 3};
  spec.batch = 32;
  spec.precision = Precision::kFp32;
  spec.masks = true;
  train::State state = train::initial_state(spec, tb::test_seed());
  train::prune_state(spec, kernels::Sparsity::k4of8, &state);
  platform.run([&] {
    ChipTrainer chip(platform, spec, state);
    HostTrainer host = host_trainer(spec, state);
    const std::vector<double> before = host.layers[0].weight;
    for (unsigned step = 0; step < 3; ++step) {
      const Batch b = random_batch(spec, random);
      host.step(b.x, b.labels, 0.05);
      for (std::size_t i = 0; i < before.size(); ++i)
        if (before[i] == 0) host.layers[0].weight[i] = 0;
      chip.step(b.x, b.labels, 0.05);
    }
    const std::vector<double> after = chip.values("w0");
    CHECK(largest_difference(after, host.layers[0].weight) < 1e-5);
    CHECK(largest_difference(chip.values("w1"), host.layers[1].weight) < 1e-5);
    for (std::size_t column = 0; column < 24; ++column) {
      for (std::size_t first = 0; first < 40; first += 8) {
        unsigned kept = 0;
        for (std::size_t r = first; r < first + 8; ++r) kept += after[r * 24 + column] != 0 ? 1 : 0;
        CHECK(kept == 4);
      }
    }
  });
}

TEST_CASE("training: a debugging build computes the same and names the writer of every element") {
  tb::Platform platform;
  std::mt19937_64 random(tb::test_seed() + 3);
  MlpSpec spec;
  spec.sizes = {140, 30, 4};
  spec.batch = 130;
  const train::State state = train::initial_state(spec, tb::test_seed());
  const Batch batch = random_batch(spec, random);
  platform.run([&] {
    ChipTrainer plain(platform, spec, state), probed(platform, spec, state, true);
    plain.step(batch.x, batch.labels, 0.01);
    probed.step(batch.x, batch.labels, 0.01);
    CHECK(plain.state() == probed.state());
    for (const train::Probe& probe : probed.probes()) {
      INFO(probe.what);
      for (const std::uint64_t row : {std::uint64_t{0}, probe.rows - 1}) {
        const std::string& writer = probe.writer(row, probe.columns - 1);
        const bool loaded = probe.what == "w0" || probe.what == "w1";
        CHECK_THAT(writer, Catch::Contains(loaded ? "a transfer" : " queue, instruction "));
        if (!loaded) CHECK_THAT(writer, Catch::Contains("from sw/train/"));
      }
    }
  });
}

// SPDX-License-Identifier: Apache-2.0
// Cores that share a batch: sums of their gradients against the FP64 trainer with all of it. Bits
// are the same on every core, in every run, and on one core as without the others.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <random>

#include "sw/base/user_error.h"
#include "tb/common/seed.h"
#include "tb/train/chip_trainer.h"
#include "tb/train/host_trainer.h"
#include "tb/train/training_data.h"

using namespace tern;  // NOLINT: test file
using tb::Batch;
using tb::ChipTrainer;
using tb::HostTrainer;
using train::MlpSpec;
using train::Optimiser;
using train::Precision;

namespace {

// Trainers on cores 0 .. cores - 1.
class Cores {
 public:
  Cores(
      tb::Platform& platform, const MlpSpec& spec, const train::State& state, unsigned cores,
      const std::function<void(unsigned core, Executable*)>& change = [](unsigned, Executable*) {
      }) {
    for (unsigned core = 0; core < cores; ++core) {
      trainers_.push_back(std::make_unique<ChipTrainer>(
          platform, spec, state, true, kernels::CoreGroup{core, cores},
          [&](Executable* program) { change(core, program); }));
    }
  }
  ChipTrainer::Result step(const Batch& batch, double rate) {
    for (auto& trainer : trainers_) trainer->copy_in(batch.x, batch.labels, rate);
    for (auto trainer = trainers_.rbegin(); trainer != trainers_.rend(); ++trainer)
      (*trainer)->execute();
    ChipTrainer::Result sum;
    for (auto& trainer : trainers_) {
      const ChipTrainer::Result part = trainer->wait();
      sum.loss += part.loss;
      sum.correct += part.correct;
    }
    return sum;
  }
  ChipTrainer& core(unsigned i) { return *trainers_.at(i); }
  bool same_state() {
    for (auto& trainer : trainers_)
      if (trainer->state() != trainers_.front()->state()) return false;
    return true;
  }

 private:
  std::vector<std::unique_ptr<ChipTrainer>> trainers_;
};

MlpSpec tiny() {
  MlpSpec spec;
  spec.sizes = {150, 20, 5};
  spec.batch = 32;
  spec.precision = Precision::kFp32;
  return spec;
}

// Vector's queue begins with some microseconds of writing to the end of SBUF.
void delay(const ChipConfig& chip, unsigned microseconds, Executable* program) {
  constexpr std::uint16_t kElements = 1024;
  tern_instruction_t busy{};
  busy.header.opcode = TERN_OPCODE_MEMSET;
  busy.elementwise.dst = {
      static_cast<std::uint32_t>(chip.core.sbuf_partition_bytes - kElements * 4), kElements, 1, 1,
      0};
  busy.elementwise.dst_dtype = static_cast<std::uint8_t>(numerics::DType::kFp32);
  busy.elementwise.partitions = 128;
  auto& queue = program->queues[TERN_QUEUE_VECTOR];
  auto& origins = program->origins[TERN_QUEUE_VECTOR];
  queue.insert(queue.begin() + 1, microseconds, busy);
  origins.insert(origins.begin() + 1, microseconds, "delay");
}

}  // namespace

TEST_CASE("training on cores: gradients add up to the whole batch's, all cores end alike") {
  tb::Platform platform;
  platform.run([&] {
    for (const Precision precision : {Precision::kFp32, Precision::kStochastic}) {
      for (const unsigned cores : {1u, 2u, 3u, 4u, 8u}) {
        std::mt19937_64 random(tb::test_seed());
        MlpSpec spec = tiny();
        if (cores == 3) spec.batch = 33;
        spec.precision = precision;
        const train::State state = train::initial_state(spec, tb::test_seed());
        Cores chip(platform, spec, state, cores);
        HostTrainer host = tb::host_trainer(spec, state);
        const bool exact = precision == Precision::kFp32;
        const double tolerance = exact ? 1e-5 : 0.03;
        INFO(fmt::format("{} cores, precision {}", cores, static_cast<int>(precision)));
        for (unsigned step = 0; step < 2; ++step) {
          const Batch batch = tb::random_batch(spec, random);
          const auto want = host.step(batch.x, batch.labels, 0.05);
          const auto got = chip.step(batch, 0.05);
          CHECK(got.loss == Approx(want.loss).epsilon(tolerance));
          // Rounded stochastically, the weights of the second step are others.
          for (std::size_t i = 0; i < spec.layers() && (step == 0 || exact); ++i) {
            const std::string over = cores > 1 ? " over all cores" : "";
            const auto gradient =
                chip.core(cores - 1).values(fmt::format("gradient of w{}", i) + over);
            CHECK(tb::relative_error(gradient, host.layers[i].weight_gradient) < tolerance);
          }
          CHECK(chip.same_state());
        }
        for (std::size_t i = 0; i < spec.layers(); ++i) {
          CHECK(tb::relative_error(chip.core(0).values(fmt::format("w{}", i)),
                                   host.layers[i].weight) < tolerance);
          if (exact)
            CHECK(tb::relative_error(chip.core(0).values(fmt::format("b{}", i)),
                                     host.layers[i].bias) < 1e-4);
        }
      }
    }
  });
}

TEST_CASE(
    "training on cores: one core has the bits of the trainer without cores, eight the same bits "
    "again") {
  tb::Platform platform;
  platform.run([&] {
    std::mt19937_64 random(tb::test_seed() + 1);
    MlpSpec spec = tiny();
    spec.optimiser = Optimiser::kAdamW;
    spec.precision = Precision::kBf16;
    const train::State state = train::initial_state(spec, tb::test_seed());
    const Batch batch = tb::random_batch(spec, random);
    ChipTrainer plain(platform, spec, state);
    plain.step(batch.x, batch.labels, 0.01);
    Cores one(platform, spec, state, 1);
    one.step(batch, 0.01);
    CHECK(one.core(0).state() == plain.state());
    Cores eight(platform, spec, state, 8);
    eight.step(batch, 0.01);
    const train::State first = eight.core(0).state();
    CHECK(first != plain.state());
    // Two cores come late: the order of the sums does not depend on time.
    Cores again(platform, spec, state, 8, [&](unsigned core, Executable* program) {
      if (core == 2 || core == 5) delay(platform.config, core, program);
    });
    again.step(batch, 0.01);
    CHECK(again.core(7).state() == first);
  });
}

TEST_CASE("training on cores: a core whose share is left out of the sums is noticed") {
  tb::Platform platform;
  platform.run([&] {
    std::mt19937_64 random(tb::test_seed() + 2);
    const MlpSpec spec = tiny();
    const train::State state = train::initial_state(spec, tb::test_seed());
    const Batch batch = tb::random_batch(spec, random);
    HostTrainer host = tb::host_trainer(spec, state);
    host.step(batch.x, batch.labels, 0.05);
    // Core 1 adds its own data instead of core 2's.
    unsigned changed = 0;
    Cores chip(platform, spec, state, 4, [&](unsigned core, Executable* program) {
      if (core != 1) return;
      for (auto& ring : program->rings) {
        for (auto& engine : ring.second) {
          engine.change([&](std::size_t, DescriptorPair& pair) {
            if (pair.source.space != DmaAddress::Space::kPeer || pair.source.tensor != 2) return;
            pair.source = {DmaAddress::Space::kCore, 0, pair.source.offset};
            changed += 1;
          });
        }
      }
    });
    REQUIRE(changed > 0);
    chip.step(batch, 0.05);
    const auto sum = chip.core(3).values("gradient of w0 over all cores");
    CHECK(tb::relative_error(sum, host.layers[0].weight_gradient) > 0.01);
    CHECK(chip.same_state());  // all equal, and all incorrect: only the reference shows it
  });
}

TEST_CASE("training on cores: what they cannot share is refused") {
  const ChipConfig chip = load_chip_config("trn3", {}).chip;
  MlpSpec spec = tiny();
  CHECK_THROWS_WITH(train::share_of(spec, 5),
                    "training: a batch of 32 cannot be shared by 5 cores");
  CHECK_THROWS_WITH(train::build_training_step(spec, chip, nullptr, {0, 16}),
                    Catch::Contains("join_cores: core 0 of 16: trn3 has 8 cores"));
  const ChipConfig trn2 = load_chip_config("trn2", {}).chip;
  CHECK_THROWS_WITH(train::build_training_step(spec, trn2, nullptr, {0, 2}),
                    Catch::Contains("core_sum: trn2 does not add near the memory"));
}

// SPDX-License-Identifier: Apache-2.0
// A transformer's batch and layers divided among cores of several chips.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include "sw/app/kinds/train/training_chip.h"
#include "sw/app/plan/plan.h"
#include "sw/base/user_error.h"
#include "sw/config/load_chip_config.h"
#include "sw/train/tensor_part.h"
#include "sw/train/transformer_training.h"
#include "systemc/chip/simulation.h"
#include "tb/common/seed.h"
#include "tb/common/temp_folder.h"
#include "tb/train/plan_bench.h"

using namespace tern;      // NOLINT: test file
using namespace tern::tb;  // NOLINT: test file
using app::Plan;
using app::TrainingChip;
using Catch::Contains;
using train::TransformerSpec;

namespace {

// Windows [first, first + spec.batch) of it.
train::Batch part_of(const train::Batch& batch, const TransformerSpec& spec, std::uint32_t first) {
  const auto cut = [&](const auto& all, std::size_t of_window) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first * of_window);
    return std::decay_t<decltype(all)>(begin,
                                       begin + static_cast<std::ptrdiff_t>(spec.batch * of_window));
  };
  return {cut(batch.x, spec.context * sizeof(std::int32_t)), cut(batch.labels, spec.context)};
}

// Two steps with AdamW under a plan and on one core: nearly the same loss and state.
void check_against_one(const std::string& keys, train::Precision precision, double tolerance,
                       std::uint32_t batch_windows = 8, std::uint32_t experts = 1,
                       float balance = 0.01f) {
  std::mt19937_64 random(tb::test_seed());
  TransformerSpec spec = small_spec(batch_windows);
  spec.experts = experts;
  spec.balance = balance;
  spec.precision = precision;
  spec.optimiser = train::Optimiser::kAdamW;
  spec.epsilon = 1e-3f;
  const Plan plan = plan_of(keys);
  const system::Fabric fabric(plan.system);
  Simulation simulation;
  TrainingChip one("one", trn3(), train::transformer_model(spec));
  TrainingChip all(fabric, plan.chips, plan.level, trn3(), models_of(spec, plan));
  simulation.run([&] {
    const train::State begin =
        train::initial_state(train::transformer_model(spec).state, tb::test_seed());
    one.set_state(begin);
    all.set_state(begin);
    for (std::uint64_t step = 1; step <= 2; ++step) {
      const train::Batch batch = random_batch(spec, &random);
      const auto hyper = train::hyper_of(spec, step, 0.01);
      const auto alone = one.step(batch, hyper), shared = all.step(batch, hyper);
      CHECK(shared.loss == Approx(alone.loss).epsilon(tolerance));
      // What a checkpoint does: out, and back into the ranks.
      const train::State kept = all.state();
      all.set_state(begin);
      all.set_state(kept);
      CHECK(all.state() == kept);
      const auto losses = one.evaluate(batch), parts = all.evaluate(batch);
      REQUIRE(parts.size() == losses.size());
      for (std::size_t i = 0; i < losses.size(); ++i)
        REQUIRE(parts[i] == Approx(losses[i]).epsilon(tolerance));
    }
    const std::vector<std::int32_t> window(spec.context, 3);
    const auto logits = one.predict(window), together = all.predict(window);
    REQUIRE(together.size() == logits.size());
    for (std::size_t i = 0; i < logits.size(); ++i)
      REQUIRE(together[i] == Approx(logits[i]).margin(10 * tolerance));
    // Equal on all ranks that have it, or this throws.
    const train::State got = all.state(), want = one.state();
    double worst = 0;
    for (std::size_t t = 0; t < want.size(); ++t) {
      REQUIRE(got[t].size() == want[t].size());
      for (std::size_t at = 0; at < want[t].size(); at += 4)
        worst = std::max(worst, std::abs(double{float_at(got[t], at)} - float_at(want[t], at)));
    }
    CHECK(worst <= tolerance);
    CHECK(got != begin);
  });
}

}  // namespace

TEST_CASE("plan: four chips have the loss and the weights of one core, in FP32") {
  check_against_one("system: trn3-nl16-2d, chips: 4, data: 4", train::Precision::kFp32, 1e-5);
}

TEST_CASE("plan: two cores of each of two chips have the loss and the weights of one, in BF16") {
  check_against_one("system: trn3-nl16-2d, chips: 2, cores: 2, data: 4", train::Precision::kBf16,
                    1e-4);
}

TEST_CASE("plan: layers divided between two chips have the loss and the weights of one core") {
  check_against_one("system: trn3-nl16-2d, chips: 2, data: 1, tensor: 2", train::Precision::kFp32,
                    1e-5);
}

TEST_CASE("plan: layers divided between two cores of each of two chips, which divide the batch") {
  check_against_one("system: trn3-nl16-2d, chips: 2, cores: 2, data: 2, tensor: 2",
                    train::Precision::kBf16, 2e-3);
}

TEST_CASE("plan: layers of slabs that are not full, divided between two cores") {
  check_against_one("system: trn3-nl16-2d, chips: 1, cores: 2, data: 1, tensor: 2",
                    train::Precision::kFp32, 1e-5, 9);
}

// Every operation has its operands and its order, so its bits.
TEST_CASE("plan: a pipeline of two chips has the bits of one core") {
  check_against_one("system: trn3-nl16-2d, chips: 2, data: 1, pipeline: 2", train::Precision::kBf16,
                    0);
}

TEST_CASE("plan: a pipeline with micro-batches of whole slabs has the weights of one core") {
  check_against_one("system: trn3-nl16-2d, chips: 2, data: 1, pipeline: 2, micro_batches: 2",
                    train::Precision::kFp32, 1e-5, 16);
}

TEST_CASE("plan: micro-batches on one core, of slabs that are not full") {
  check_against_one("system: trn3-nl16-2d, chips: 1, data: 1, micro_batches: 3",
                    train::Precision::kFp32, 1e-5, 9);
}

TEST_CASE("plan: batch, blocks and layers divided among eight cores of four chips") {
  check_against_one(
      "system: trn3-nl16-2d, chips: 4, cores: 2, data: 2, pipeline: 2, tensor: 2, micro_batches: 2",
      train::Precision::kFp32, 1e-5);
}

// 11 columns of the logits do not divide: their moments are whole, on both.
TEST_CASE("plan: moments divided among four chips have the weights of one core") {
  check_against_one("system: trn3-nl16-2d, chips: 4, data: 4, optimiser_sharding: true",
                    train::Precision::kFp32, 1e-5);
}

TEST_CASE("plan: moments divided between two chips have the bits of whole ones") {
  std::mt19937_64 random(tb::test_seed());
  TransformerSpec spec = small_spec(4);
  spec.optimiser = train::Optimiser::kAdamW;
  const Plan whole = plan_of("system: trn3-nl16-2d, chips: 2, data: 2");
  const Plan divided = plan_of("system: trn3-nl16-2d, chips: 2, data: 2, optimiser_sharding: true");
  const system::Fabric fabric(whole.system);
  const std::vector<train::Model> models = models_of(spec, divided);
  std::uint64_t kept = 0, all_bytes = 0;
  for (std::size_t t = 0; t < models[0].state.size(); ++t) {
    kept += train::part_of(models[0].state[t], models[0].parts[t]).bytes();
    all_bytes += models[0].state[t].bytes();
  }
  CHECK(static_cast<double>(kept) <
        0.7 * static_cast<double>(all_bytes));  // a third and two halves
  Simulation simulation;
  // The same chips twice, so below a module.
  struct Below : sc_core::sc_module {
    Below(const sc_core::sc_module_name& name, const system::Fabric& fabric, const Plan& plan,
          std::vector<train::Model> models)
        : sc_module(name), chips(fabric, plan.chips, plan.level, trn3(), std::move(models)) {}
    TrainingChip chips;
  };
  Below below("whole", fabric, whole, models_of(spec, whole));
  TrainingChip& one = below.chips;
  TrainingChip two(fabric, divided.chips, divided.level, trn3(), models);
  simulation.run([&] {
    const train::State begin = train::initial_state(models.front().state, tb::test_seed());
    one.set_state(begin);
    two.set_state(begin);
    for (std::uint64_t step = 1; step <= 2; ++step) {
      const train::Batch batch = random_batch(spec, &random);
      const auto hyper = train::hyper_of(spec, step, 0.01);
      one.step(batch, hyper);
      two.step(batch, hyper);
      CHECK(one.state() == two.state());
    }
  });
}

TEST_CASE("plan: moments divided among parts of the batch of stages and parts of layers") {
  check_against_one(
      "system: trn3-nl16-2d, chips: 4, cores: 2, data: 2, pipeline: 2, tensor: 2, "
      "optimiser_sharding: true",
      train::Precision::kFp32, 1e-5);
}

TEST_CASE("plan: windows divided between two chips have the weights of one core") {
  check_against_one("system: trn3-nl16-2d, chips: 2, data: 1, sequence: 2", train::Precision::kFp32,
                    1e-5);
}

TEST_CASE("plan: windows divided among four chips, of several slabs, in BF16") {
  check_against_one("system: trn3-nl16-2d, chips: 4, data: 1, sequence: 4", train::Precision::kBf16,
                    2e-3, 72);
}

TEST_CASE("plan: batch, windows, blocks and layers divided among 16 cores") {
  check_against_one(
      "system: trn3-nl16-2d, chips: 4, cores: 4, data: 2, sequence: 2, pipeline: 2, tensor: 2, "
      "micro_batches: 2",
      train::Precision::kFp32, 1e-5);
}

TEST_CASE("plan: windows divided among chips of two trays of a rack, within trays first") {
  check_against_one(
      "system: trn3-nl32x2-gen1, chips: 8, data: 2, sequence: 4, sequence_sum: hierarchical",
      train::Precision::kFp32, 1e-5);
}

TEST_CASE("plan: moments divided among parts of windows and of the batch") {
  check_against_one(
      "system: trn3-nl16-2d, chips: 4, data: 2, sequence: 2, optimiser_sharding: true",
      train::Precision::kFp32, 1e-5);
}

// Whole slabs on each rank, so that the same characters find a slot.
TEST_CASE("plan: experts divided among four chips have the weights of one core") {
  check_against_one("system: trn3-nl16-2d, chips: 4, data: 4, expert: 4", train::Precision::kFp32,
                    1e-5, 32, 4);
}

TEST_CASE("plan: experts divided between parts of the batch, of which there are four") {
  check_against_one("system: trn3-nl16-2d, chips: 4, data: 4, expert: 2", train::Precision::kFp32,
                    1e-5, 32, 4);
}

TEST_CASE("plan: experts in a pipeline of micro-batches, with the other moments divided") {
  check_against_one(
      "system: trn3-nl16-2d, chips: 4, data: 2, pipeline: 2, expert: 2, micro_batches: 2, "
      "optimiser_sharding: true",
      train::Precision::kFp32, 1e-5, 32, 4);
}

// Its slabs have other characters, so slots for all, and nothing that counts them.
TEST_CASE("plan: experts divided among parts of windows") {
  check_against_one("system: trn3-nl16-2d, chips: 4, data: 1, sequence: 4, expert: 2",
                    train::Precision::kFp32, 1e-5, 16, 2, 0);
}

TEST_CASE("plan: chips that add in their DMA engines, a ring of three") {
  const Plan plan = plan_of("system: trn2-nl16, chips: 3, data: 3, sum: ring");
  std::mt19937_64 random(tb::test_seed());
  TransformerSpec spec = small_spec(6);
  spec.precision = train::Precision::kFp32;
  const ChipConfig trn2 = load_chip_config(plan.system.chip).chip;
  const system::Fabric fabric(plan.system);
  Simulation simulation;
  TrainingChip one("one", trn2, train::transformer_model(spec));
  TrainingChip all(fabric, plan.chips, plan.level, trn2, models_of(spec, plan));
  simulation.run([&] {
    const train::State begin = train::initial_state(train::transformer_model(spec).state, 0);
    const train::Batch batch = random_batch(spec, &random);
    const auto hyper = train::hyper_of(spec, 1, 0.1);
    one.set_state(begin);
    all.set_state(begin);
    CHECK(all.step(batch, hyper).loss == Approx(one.step(batch, hyper).loss).epsilon(1e-5));
    const train::State got = all.state(), want = one.state();
    for (std::size_t t = 0; t < want.size(); ++t) {
      for (std::size_t at = 0; at < want[t].size(); at += 4)
        REQUIRE(float_at(got[t], at) == Approx(float_at(want[t], at)).margin(1e-5));
    }
  });
}

// With SGD and no momentum the state keeps the gradient: m = 0 m + g. A sum of two numbers does not
// depend on its order, and halves of the batch alone have twice their part of the gradient.
TEST_CASE("plan: the sum over two chips is that of what each has alone, bit by bit") {
  std::mt19937_64 random(tb::test_seed());
  TransformerSpec spec = small_spec(4);
  spec.momentum = 0;
  TransformerSpec half = spec;
  half.batch = 2;
  const Plan plan = plan_of("system: trn3-nl16-2d, chips: 2, data: 2");
  const system::Fabric fabric(plan.system);
  const train::Model model = train::transformer_model(half);
  Simulation simulation;
  TrainingChip one("one", trn3(), model);
  TrainingChip all(fabric, plan.chips, plan.level, trn3(), models_of(spec, plan));
  simulation.run([&] {
    const train::State begin = train::initial_state(model.state, tb::test_seed());
    const train::Batch batch = random_batch(spec, &random);
    const auto hyper = train::hyper_of(spec, 1, 0.1);
    std::vector<train::State> alone;
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      one.set_state(begin);
      one.step(part_of(batch, half, 2 * rank), hyper);
      alone.push_back(one.state());
    }
    all.set_state(begin);
    all.step(batch, hyper);
    const train::State sum = all.state();
    std::size_t gradients = 0, nonzero = 0;
    for (std::size_t t = 0; t < sum.size(); ++t) {
      if (model.state[t].name.compare(0, 2, "m.") != 0) continue;
      INFO(model.state[t].name);
      for (std::size_t at = 0; at < sum[t].size(); at += 4) {
        const float want = float_at(alone[0][t], at) * 0.5f + float_at(alone[1][t], at) * 0.5f;
        REQUIRE(float_at(sum[t], at) == want);
        gradients += 1;
        nonzero += want != 0 ? 1 : 0;
      }
    }
    CHECK(gradients > 10'000);
    CHECK(nonzero > gradients / 2);
  });
}

TEST_CASE("plan: ranks of a grid, and who talks with whom") {
  const collectives::RankGrid grid{2, 1, 3, 2};
  using Groups = collectives::RankGrid::Groups;
  CHECK(grid.ranks() == 12);
  CHECK(grid.along_batch() == Groups{{0, 6}, {1, 7}, {2, 8}, {3, 9}, {4, 10}, {5, 11}});
  CHECK(grid.along_tensor() == Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}});
  const collectives::RankGrid experts{4, 1, 1, 2, 2};
  CHECK(experts.along_expert() == Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}});
  CHECK(experts.along_same_expert() == Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
  const collectives::RankGrid windows{2, 2, 1, 2};
  CHECK(windows.along_sequence() == Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}});
  CHECK(grid.between_stages(1) == Groups{{2, 4}, {3, 5}, {8, 10}, {9, 11}});
}

TEST_CASE("plan: what is refused is named with file and line") {
  const auto refused = [](const std::string& keys, const std::string& why) {
    INFO(keys);
    CHECK_THROWS_WITH(plan_of(keys), Contains("plan.yaml:1: key 'plan") && Contains(why));
  };
  refused("system: trn3-nl16-2d, chips: 4, data: 2", "4: the cores of all chips");
  refused("system: trn3-nl16-2d, chips: 17, data: 17", "16");
  refused("system: trn3-nl16-2d, chips: 0, data: 1", "chips");
  refused("system: trn3-nl16-2d, chips: 4, cores: 33, data: 4", "cores");
  refused("system: trn3-nl16-2d, chips: 2, data: 2, tensor: 2",
          "data * sequence * pipeline * tensor = 2");
  refused("system: trn3-nl16-2d, chips: 2, data: 2, expert: 3", "a divisor of data * sequence = 2");
  refused("system: trn3-nl16-2d, chips: 2, data: 2, pipeline: 2",
          "data * sequence * pipeline * tensor = 2");
  refused("system: trn3-nl16-2d, chips: 4, data: auto, tensor: 3",
          "tensor': expected a divisor of 4");
  refused("system: trn3-nl16-2d, chips: 4, data: 2, pipeline: 4, tensor: auto",
          "pipeline': expected a divisor of 2: with the other keys");
  refused("system: trn3-nl16-2d, chips: 2, data: 2, micro_batches: 0", "micro_batches");
  refused("system: trn3-nl16-2d, chips: 2, data: 2, pipeline: false", "pipeline");
  refused("system: trn3-nl16-2d, chips: 2, data: 1, tensor: 2, tensor_sum: tree", "ring");
  refused("system: trn3-nl16-2d, chips: 2, data: 2, sum: rings", "ring");
  refused("system: trn3-nl16-2d, chips: 2, data: 2, sum: tree", "ring");  // of other operations
  refused("system: trn3-nl16-2d, chips: 2, data: 2, level: wires", "packet");
  refused("system: trn3-nl16-2d, chips: [server0.tray0.chip0, nobody], data: 2", "nobody");
  CHECK_THROWS_WITH(plan_of("system: trn3-nl16-2d, chips: 2, date: 2, data: 2"), Contains("date"));
  CHECK_THROWS_WITH(plan_of("system: trn3-nl16-2d, data: 2"), Contains("chips"));
  // An algorithm that cannot do it says so when it is asked.
  CHECK_THROWS_WITH(
      plan_of("system: trn3-nl16-2d, chips: 3, data: 3, sum: halving-doubling").sums({1024}),
      Contains("key 'plan.sum'"));
  // So does one that takes more semaphores than there are; the table then chooses the next.
  const std::string many = "system: trn3-nl16-2d, chips: 16, cores: 8, data: 128";
  CHECK_THROWS_WITH(plan_of(many + ", sum: mesh").sums({1024}),
                    Contains("more than the 127 flags"));
  CHECK(plan_of(many).sums({1024}).gradients->name != "mesh");
  CHECK_THROWS_WITH(
      plan_of("system: trn3-nl16-2d, chips: 4, data: 1, tensor: 4").sums({1024, 1024, 40}),
      Contains("key 'plan'") && Contains("64 bytes, not 40 elements"));
  const collectives::RankSchedules none =
      plan_of("system: trn3-nl16-2d, chips: 1, data: 1, tensor: 1").sums({1, 1, 1});
  CHECK(none.gradients == nullptr);
  CHECK(none.activations == nullptr);
  train::Share share;
  share.data = 3;
  CHECK_THROWS_WITH(train::transformer_model(small_spec(4), share),
                    Contains("batch of 4 windows cannot be shared by 3 ranks"));
  share.data = 1;
  share.tensor = 3;
  CHECK_THROWS_WITH(train::transformer_model(small_spec(4), share),
                    Contains("2 heads and 72 hidden columns do not divide among 3 ranks"));
}

TEST_CASE("plan: whose choices of the table it has") {
  const auto choices = [](const std::string& keys, const Plan::Sizes& sizes) {
    Plan::Choices found;
    plan_of(keys).sums(sizes, &found);
    return found;
  };
  CHECK(choices("system: trn3-nl16-2d, chips: 4, data: 4, sum: ring", {1024}).empty());
  const auto own = choices("system: trn2-nl16, chips: 4, data: 2, tensor: 2", {1024, 1024, 64});
  REQUIRE(own.size() == 2);
  CHECK_THAT(own[0], Catch::StartsWith("sums within layers by "));
  CHECK_THAT(own[0], Catch::EndsWith(", as for 2 of trn2-nl16"));
  CHECK_THAT(own[1], Catch::StartsWith("gradients by "));
  // A size that nobody measured, a group that nobody measured, chunks that do not divide.
  const auto large = choices("system: trn2-nl16, chips: 2, data: 2", {2 << 20});
  CHECK_THAT(large.at(0), Catch::EndsWith(", as for 2 of trn2-nl16, 1048576 bytes"));
  const auto small = choices("system: trn2-nl16, chips: 2, data: 2", {100});
  CHECK_THAT(small.at(0), Catch::EndsWith(", as for 2 of trn2-nl16, 1024 bytes"));
  const auto other = choices("system: trn2-nl64, chips: 64, data: 64", {1024});
  CHECK_THAT(other.at(0), Contains(", as for ") && !Contains("64 of"));
  // Of trays of two chips.
  const auto trays =
      choices("system: trn3-nl32x2-gen1, chips: 8, data: 2, tensor: 4", {1024, 1024});
  CHECK_THAT(trays.at(0), Catch::EndsWith(", as for 2x2 of trn3-nl32x2-gen1"));
  CHECK_THAT(trays.at(1), Catch::EndsWith(", as for 2 of trn3-nl32x2-gen1"));
  tb::TempFolder folder;
  const std::string rack = folder.put("rack.yaml", "preset: trn2-nl16\nname: my-rack\n");
  const auto alike = choices("system: " + rack + ", chips: 4, data: 4", {1024});
  CHECK_THAT(alike.at(0), Catch::EndsWith(", as for 4 of trn2-nl16"));
  const auto chunks = choices("system: trn3-nl16-2d, chips: 2, tensor: 2", {1024, 1 << 18, 16});
  CHECK_THAT(chunks.at(0), Contains(", not as for 2 of trn3-nl16-2d: ring makes 2 chunks"));
}

TEST_CASE("plan: a file of its own, beside the one that names it") {
  tb::TempFolder folder;
  folder.put("plan.yaml", "system: trn3-nl16-2d\nchips: 2\ndata: 2\n");
  const std::string path = folder.put("run.yaml", "plan: plan.yaml\n");
  CHECK(app::load_plan(config::YamlMap::from_file(path).get("plan")).ranks() == 2);
  folder.put("plan.yaml", "system: trn3-nl16-2d\nchips: 2\ndata: 2\nothers: 1\n");
  CHECK_THROWS_WITH(
      app::load_plan(config::YamlMap::from_file(path).get("plan")),
      Contains("run.yaml:1: key 'plan'") && Contains("plan.yaml:4") && Contains("others"));
}

// SPDX-License-Identifier: Apache-2.0
// What training does on the host: order of the samples, learning rates, checkpoints.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "sw/base/user_error.h"
#include "sw/numerics/convert.h"
#include "sw/train/batches.h"
#include "sw/train/checkpoint.h"
#include "sw/train/schedule.h"
#include "tb/common/seed.h"
#include "tb/common/temp_folder.h"

using namespace tern;  // NOLINT: test file

TEST_CASE("train files: every epoch visits every image once, whatever the batch") {
  const std::uint64_t seed = tb::test_seed();
  for (const auto& [count, batch] : {std::pair(100u, 10u), {100u, 7u}, {5u, 12u}, {1u, 1u}}) {
    train::SampleOrder order(count, batch, seed);
    std::vector<std::uint32_t> all;
    const std::uint64_t steps = order.steps_of(3);
    CHECK(steps * batch >= 3 * count);
    CHECK((steps - 1) * batch < 3 * count);
    for (std::uint64_t step = 0; step < steps; ++step) {
      const auto images = order.of_step(step);
      REQUIRE(images.size() == batch);
      all.insert(all.end(), images.begin(), images.end());
    }
    for (unsigned epoch = 0; epoch < 3; ++epoch) {
      const auto begin = all.begin() + epoch * count;
      CHECK(std::set<std::uint32_t>(begin, begin + count).size() == count);
    }
    // A step's batch does not depend on those read before it.
    train::SampleOrder again(count, batch, seed);
    CHECK(again.of_step(steps - 1) == order.of_step(steps - 1));
    CHECK(again.of_step(0) == std::vector<std::uint32_t>(all.begin(), all.begin() + batch));
    if (count == 100)
      CHECK(train::SampleOrder(count, batch, seed + 1).of_step(0) != order.of_step(0));
  }
}

TEST_CASE("train files: pixels are scaled in FP32 and rounded once") {
  data::ImageSet set;
  set.count = 2;
  set.rows = 1;
  set.columns = 256;
  for (unsigned i = 0; i < 512; ++i) set.pixels.push_back(static_cast<std::uint8_t>(i));
  set.labels = {3, 7};
  const float scale = 1.0f / 255;
  const train::Images images(set, scale, numerics::DType::kBf16);
  const train::Batch batch = images.batch({1, 0, 1});
  CHECK(batch.labels == std::vector<std::int32_t>{7, 3, 7});
  REQUIRE(batch.x.size() == 3 * 256 * 2);
  for (std::size_t i = 0; i < 3 * 256; ++i) {
    const float exact = static_cast<float>(i % 256) * scale;
    float got = 0;
    numerics::widen(numerics::DType::kBf16, &batch.x[2 * i], &got, 1);
    CHECK(std::fabs(got - exact) <= exact * 0x1p-8f);
  }
}

TEST_CASE("train files: learning rates rise, then fall") {
  train::Schedule s;
  s.rate = 0.4;
  CHECK(s.at(0, 100) == 0.4);
  CHECK(s.at(99, 100) == 0.4);
  s.warmup = 3;
  CHECK(s.at(0, 103) == Approx(0.1));
  CHECK(s.at(2, 103) == Approx(0.3));
  CHECK(s.at(3, 103) == Approx(0.4));
  s.kind = train::Schedule::Kind::kLinear;
  s.end = 0.5;
  CHECK(s.at(53, 103) == Approx(0.3));
  s.kind = train::Schedule::Kind::kCosine;
  CHECK(s.at(53, 103) == Approx(0.3));
  CHECK(s.at(28, 103) == Approx(0.4 * (0.5 + 0.5 * (1 + std::sqrt(0.5)) / 2)));
  CHECK(s.at(0, 1) == Approx(0.1));  // nothing but warming up
}

TEST_CASE("train files: a checkpoint comes back as it was, or is refused by name") {
  tb::TempFolder folder;
  const std::string path = folder.path("c");
  train::Checkpoint c;
  c.settings = {{"batch", "128"}, {"seed", "0"}};
  c.step = 3;
  c.state = {{1, 2, 3, 10}, {}, std::vector<std::uint8_t>(1000, 7)};
  c.losses = {2.5f, 1.25f, 0.5f};
  c.correct = {1, 2, 3};
  c.evaluations = {{3, 900}};
  c.changed_score = 17;
  train::write_checkpoint(path, c);
  const train::Checkpoint back = train::read_checkpoint(path, c.settings);
  CHECK(back.step == 3);
  CHECK(back.state == c.state);
  CHECK(back.losses == c.losses);
  CHECK(back.correct == c.correct);
  CHECK(back.changed_score == 17);
  REQUIRE(back.evaluations.size() == 1);
  CHECK(back.evaluations[0].score == 900);

  using Catch::Contains;
  const auto refused = [&](const std::string& file, const std::string& because,
                           std::vector<std::pair<std::string, std::string>> settings) {
    CHECK_THROWS_WITH(train::read_checkpoint(file, settings), Contains(file) && Contains(because));
  };
  refused(folder.path("none"), "no such file", c.settings);
  refused(path, "of another training: batch was 128, now it is 64",
          {{"batch", "64"}, {"seed", "0"}});
  const std::string bytes = tb::read_bytes(path);
  for (const std::size_t at : {std::size_t{30}, bytes.size() / 2, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    refused(folder.put("damaged", damaged), "wrong checksum", c.settings);
  }
  refused(folder.put("cut", bytes.substr(0, bytes.size() - 9)), "wrong checksum", c.settings);
  refused(folder.put("other", "kind: train\n"), "not a training checkpoint", c.settings);
}

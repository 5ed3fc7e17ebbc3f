// SPDX-License-Identifier: Apache-2.0
// What training does on the host: order of the samples, learning rates, checkpoints.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <set>

#include "sw/base/checksum.h"
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
  const std::vector<std::uint64_t> sizes = {4, 0, 1000};
  const train::Checkpoint back = train::read_checkpoint(path, c.settings, sizes);
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
    CHECK_THROWS_WITH(train::read_checkpoint(file, settings, sizes),
                      Contains(file) && Contains(because) && !Contains("\n"));
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
  refused(folder.put("empty", ""), "not a training checkpoint", c.settings);
  refused(folder.put("short", bytes.substr(0, 26)), "wrong checksum", c.settings);
}

TEST_CASE("train files: a checkpoint whose checksum is right and whose content is not") {
  tb::TempFolder folder;
  using Catch::Contains;
  const std::string head = "tern training checkpoint 3\nseed=0\n";
  const std::string counts = "step=2\nchanged=0\nsteps=2\nevaluations=1\ntensor=4\n";
  std::string arrays(4 + 2 * 4 + 2 * 4, '\0');
  const auto evaluation = [](std::uint64_t step, double score) {
    std::string bytes(16, '\0');
    std::memcpy(&bytes[0], &step, 8);
    std::memcpy(&bytes[8], &score, 8);
    return bytes;
  };
  arrays += evaluation(2, 7);
  const auto read = [&](std::string bytes) {
    const std::uint32_t crc = base::crc32_of(bytes);
    bytes.append(reinterpret_cast<const char*>(&crc), sizeof crc);
    return train::read_checkpoint(folder.put("c", bytes), {{"seed", "0"}}, {4});
  };
  CHECK(read(head + counts + "\n" + arrays).evaluations.front().score == 7);
  const auto refused = [&](const std::string& bytes, const std::string& because) {
    INFO(bytes);
    CHECK_THROWS_WITH(read(bytes), Contains(folder.path("c") + ": " + because) && !Contains("\n"));
  };
  // `counts` with one line in place of another.
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = counts;
    text.replace(text.find(from), from.size(), to);
    return head + text + "\n" + arrays;
  };
  refused("tern training checkpoint 1\nseed=0\n" + counts + "\n" + arrays,
          "a training checkpoint of version '1', expected 3");
  refused("tern training checkpoint 22\n", "a training checkpoint of version '22', expected 3");
  refused("tern training checkpoint 3", "damaged: its lines of text do not end");
  refused(head, "damaged: its lines of text do not end");
  refused(head + counts, "damaged: its lines of text do not end");
  refused("tern training checkpoint 3\nspeed=\x1b[2J\n",
          "of another training: this one has seed 0, and it has 'speed=\\x1b[2J'");
  refused("tern training checkpoint 3\nseed=\x1b\n", "of another training: seed was '\\x1b', now");
  for (const char* number : {"-1", "x", "", "2x", " 2", "99999999999999999999", "0x2"})
    refused(changed("step=2", std::string("step=") + number), "damaged: step=");
  refused(changed("changed=0", "changed=inf"), "damaged: changed='inf'");
  refused(changed("changed=0", "changed="), "damaged: changed=");
  refused(changed("steps=2", "steps=3"), "damaged: ");
  refused(changed("step=2", "step=3"), "damaged: losses of 2 steps, 3 are done");
  refused(changed("steps=2", "steps=999999999999999999"), "damaged: it ends too early");
  refused(changed("evaluations=1", "evaluations=999999999999999999"), "damaged: it ends too early");
  refused(changed("evaluations=1", "evaluations=0"), "damaged: bytes after its end");
  refused(changed("tensor=4", "tensor=5"), "damaged: its tensors are not those of this training");
  refused(changed("tensor=4\n", "tensor=4\ntensor=0\n"), "damaged: its tensors");
  refused(changed("tensor=4\n", ""), "damaged: its tensors");
  refused(changed("tensor=4", "t"), "expected 'tensor=', got 't'");
  refused(head + counts + "\n" + arrays.substr(1), "damaged: it ends too early");
  refused(head + counts + "\n" + arrays + "x", "damaged: bytes after its end");
  const std::string before = arrays.substr(0, 20);
  refused(head + counts + "\n" + before + evaluation(3, 7), "damaged: an evaluation after step 3");
  const std::string infinite("\0\0\x80\x7F", 4);
  refused(head + counts + "\n" + arrays.substr(0, 4) + infinite + arrays.substr(8),
          "damaged: a loss of inf");
  for (const double score : {-1.0, static_cast<double>(NAN), 1e300})
    refused(head + counts + "\n" + before + evaluation(2, score), "damaged: an evaluation of ");
}

// SPDX-License-Identifier: Apache-2.0
// The encoder on several cores of two chips, with random weights, against one core.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "sw/app/kinds/search/search_ranks.h"
#include "sw/config/load_chip_config.h"
#include "sw/models/use/reference/sentence_encoder.h"
#include "tb/common/seed.h"
#include "tb/common/temp_folder.h"
#include "tb/models/use/random_model.h"

namespace tern::tb {

namespace {

constexpr std::size_t kWidth = use::Model::kWidth, kSlots = use::Batch::kSlots;

struct Encoded {
  std::vector<use::Batch> batches;
  std::vector<std::vector<std::uint32_t>> sentences;
  use::Model model = random_model(test_seed());
  std::vector<float> embeddings, similarities;
};

// Programs of two batches each.
Encoded encode(const std::string& parts, unsigned cores = 4) {
  const app::Plan plan =
      app::load_plan(config::YamlMap::from_text(
                         fmt::format("plan: {{system: trn2-nl16, chips: {}, cores: {}, {}}}\n",
                                     (cores + 1) / 2, std::min(cores, 2U), parts),
                         "plan.yaml")
                         .get("plan"));
  Encoded e;
  e.sentences = random_sentences(24, test_seed() + 1);
  e.batches = use::make_batches(e.sentences);
  app::SearchRanks ranks(plan, load_chip_config(plan.system.chip).chip);
  app::Progress progress("test", true);
  std::uint64_t bytes = 0;
  const app::Execution run =
      ranks.run(e.model, e.batches, 2, use::Format::kBf16, &progress, &bytes);
  const std::size_t rows = e.batches.size() * kSlots;
  std::vector<float> all(run.result.size());
  std::memcpy(all.data(), run.result.data(), all.size() * sizeof(float));
  REQUIRE(all.size() == rows * kWidth + rows * 2 * kSlots);
  e.embeddings.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(rows * kWidth));
  e.similarities.assign(all.begin() + static_cast<std::ptrdiff_t>(rows * kWidth), all.end());
  return e;
}

// The embeddings, by a process of its own: each has one simulation.
std::vector<float> encoded_elsewhere(const std::string& parts, unsigned cores) {
  const TempFolder folder;
  const std::string path = folder.path("embeddings");
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const Encoded e = encode(parts, cores);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(e.embeddings.data()),
               static_cast<std::streamsize>(e.embeddings.size() * sizeof(float)));
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  std::vector<float> embeddings(std::filesystem::file_size(path) / sizeof(float));
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(embeddings.data()),
            static_cast<std::streamsize>(embeddings.size() * sizeof(float)));
  REQUIRE_FALSE(embeddings.empty());
  return embeddings;
}

// Every embedding against the FP32 reference, every similarity against those of the embeddings.
void check(const Encoded& e) {
  for (std::size_t b = 0; b < e.batches.size(); ++b) {
    for (std::size_t s = 0; s < e.batches[b].sentences.size(); ++s) {
      const auto expected =
          reference::sentence_embedding(e.model, e.sentences[e.batches[b].sentences[s]]);
      const std::size_t row = b * kSlots + s;
      CHECK(reference::cosine(&e.embeddings[row * kWidth], expected.data(), kWidth) > 0.9999);
      for (std::size_t q = 0; q < e.batches[0].sentences.size(); ++q)
        CHECK(e.similarities[row * 2 * kSlots + q] ==
              Approx(
                  reference::cosine(&e.embeddings[row * kWidth], &e.embeddings[q * kWidth], kWidth))
                  .margin(1e-5));
    }
  }
}

}  // namespace

TEST_CASE("the encoder on four cores: two stages, twice") {
  check(encode("data: 2, pipeline: 2"));
}
TEST_CASE("the encoder on four cores: two stages of two parts each") {
  check(encode("data: 1, pipeline: 2, tensor: 2"));
}
TEST_CASE("the encoder on four cores: each some of the batches") {
  check(encode("data: 4"));
}
TEST_CASE("the encoder on four cores: each some tokens of a batch, with one core's bits") {
  const std::vector<float> one = encoded_elsewhere("data: 1", 1);
  const Encoded four = encode("data: 1, sequence: 4");
  check(four);
  CHECK(four.embeddings == one);
}
TEST_CASE("the encoder on four cores: tokens and stages, with one core's bits") {
  const std::vector<float> one = encoded_elsewhere("data: 1", 1);
  CHECK(encode("data: 1, sequence: 2, pipeline: 2").embeddings == one);
}
TEST_CASE("the encoder on eight cores: tokens, stages and layers") {
  check(encode("data: 1, sequence: 2, pipeline: 2, tensor: 2", 8));
}
TEST_CASE("the encoder on eight cores: batches, and tokens of each") {
  check(encode("data: 2, sequence: 4", 8));
}
TEST_CASE("the encoder on several cores: all have equally many programs") {
  const app::Plan plan = app::load_plan(
      config::YamlMap::from_text("plan: {system: trn2-nl16, chips: 4, data: 4}\n", "plan.yaml")
          .get("plan"));
  const app::SearchRanks ranks(plan, load_chip_config(plan.system.chip).chip);
  CHECK(ranks.batches_of_program(83, 1) == 11);   // two rounds of four
  CHECK(ranks.batches_of_program(64, 1) == 16);   // one
  CHECK(ranks.batches_of_program(65, 1) == 9);    // two
  CHECK(ranks.batches_of_program(65, 12) == 12);  // six programs: two have one only
  CHECK_THROWS_WITH(ranks.batches_of_program(6, 3),
                    Catch::Contains("6 batches, 3 a program: the first one has all with"));
}

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
// The encoder on a chip against the FP32 reference, with random weights.
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>

#include "sw/models/use/encoder.h"
#include "sw/models/use/folded.h"
#include "sw/models/use/reference/sentence_encoder.h"
#include "tb/common/seed.h"
#include "tb/models/use/random_model.h"
#include "tb/runtime/platform.h"

namespace tern::tb {

namespace {

using Sentences = std::vector<std::vector<std::uint32_t>>;

// Rows of 512, one for each slot of each batch.
std::vector<float> embed(Platform& platform, const use::Model& model, use::Format format,
                         const std::vector<use::Batch>& batches) {
  std::vector<float> result(batches.size() * use::Batch::kSlots * use::Model::kWidth);
  platform.run([&] {
    std::vector<use::HostTensor> tensors = use::encoder_weights(model, format);
    for (auto& tensor : use::encoder_inputs(batches.data(), batches.size()))
      tensors.push_back(std::move(tensor));
    std::vector<runtime::Buffer> buffers;
    buffers.reserve(tensors.size() + 1);
    runtime::Runtime::Bindings bindings;
    for (const auto& tensor : tensors) {
      buffers.push_back(platform.runtime.allocate(tensor.name, tensor.bytes.size()));
      platform.runtime.copy_to_device(buffers.back(), tensor.bytes.data(), tensor.bytes.size());
      bindings[tensor.name] = &buffers.back();
    }
    buffers.push_back(platform.runtime.allocate("embeddings", result.size() * sizeof(float)));
    bindings["embeddings"] = &buffers.back();
    const auto count = static_cast<unsigned>(batches.size());
    auto program =
        platform.runtime.load(use::build_encoder(model, format, count, platform.config), bindings);
    const auto outcome = platform.runtime.run(program);
    INFO(outcome.seconds());
    platform.runtime.copy_from_device(buffers.back(), result.data(), result.size() * sizeof(float));
  });
  return result;
}

// The least cosine to the reference over all sentences.
double least_cosine(const use::Model& model, const Sentences& sentences,
                    const std::vector<use::Batch>& batches, const std::vector<float>& result) {
  double least = 1;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    for (std::size_t s = 0; s < batches[b].sentences.size(); ++s) {
      const auto expected =
          reference::sentence_embedding(model, sentences[batches[b].sentences[s]]);
      const float* got = &result[(b * use::Batch::kSlots + s) * expected.size()];
      double squares = 0;
      for (std::size_t i = 0; i < expected.size(); ++i)
        squares += static_cast<double>(got[i]) * got[i];
      CHECK(squares == Approx(1).epsilon(1e-5));
      least = std::min(least, reference::cosine(got, expected.data(), expected.size()));
    }
  }
  return least;
}

double least_cosine_of(use::Format format, std::size_t count) {
  Platform platform;
  const use::Model model = random_model(test_seed());
  const Sentences sentences = random_sentences(count, test_seed() + 1);
  const auto batches = use::make_batches(sentences);
  return least_cosine(model, sentences, batches, embed(platform, model, format, batches));
}

}  // namespace

TEST_CASE("the encoder in BF16 agrees with the reference for every sentence") {
  CHECK(least_cosine_of(use::Format::kBf16, 9) > 0.9999);
}
TEST_CASE("the encoder in MXFP8") {
  CHECK(least_cosine_of(use::Format::kMxfp8, 3) > 0.98);
}
TEST_CASE("the encoder in MXFP8, rule ocp") {
  CHECK(least_cosine_of(use::Format::kMxfp8Ocp, 3) > 0.98);
}
TEST_CASE("the encoder in W4A8") {
  CHECK(least_cosine_of(use::Format::kW4a8, 3) > 0.85);
}

TEST_CASE("a sentence's embedding does not depend on its neighbours") {
  Platform platform;
  const use::Model model = random_model(test_seed());
  Sentences sentences = random_sentences(8, test_seed() + 2);
  for (auto& sentence : sentences) sentence.resize(std::min<std::size_t>(sentence.size(), 15));
  const auto together = use::make_batches(sentences);
  REQUIRE(together.size() == 1);
  const use::Batch alone = use::make_batches({sentences[5]})[0];
  const auto result = embed(platform, model, use::Format::kBf16, {together[0], alone});
  const float* first = &result[5 * use::Model::kWidth];
  const float* second = &result[std::size_t{use::Batch::kSlots} * use::Model::kWidth];
  CHECK(reference::cosine(first, second, use::Model::kWidth) > 0.99999);
}

TEST_CASE("batches hold every token once, in at most eight slots") {
  const Sentences sentences = random_sentences(60, test_seed() + 3);
  std::vector<unsigned> seen(sentences.size());
  for (const use::Batch& batch : use::make_batches(sentences)) {
    CHECK(batch.sentences.size() <= use::Batch::kSlots);
    std::size_t tokens = 0;
    for (std::size_t s = 0; s < batch.sentences.size(); ++s) {
      const auto& sentence = sentences[batch.sentences[s]];
      ++seen[batch.sentences[s]];
      std::vector<std::uint32_t> found;
      for (unsigned t = 0; t < use::Batch::kTokens; ++t) {
        if (batch.slots[t] != static_cast<float>(s)) continue;
        CHECK(batch.positions[t] == static_cast<std::int32_t>(found.size()));
        found.push_back(static_cast<std::uint32_t>(batch.tokens[t]));
      }
      CHECK(found == sentence);
      tokens += sentence.size();
    }
    CHECK(tokens == batch.used);
  }
  CHECK(std::all_of(seen.begin(), seen.end(), [](unsigned n) { return n == 1; }));
  CHECK_THROWS(use::make_batches({{}}));
  CHECK_THROWS(use::make_batches({std::vector<std::uint32_t>(129)}));
}

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
// The multi-layer perceptron on the chip, bit for bit against the host reference.
#include <catch2/catch.hpp>
#include <vector>

#include "sw/kernels/mlp.h"
#include "tb/common/seed.h"
#include "tb/runtime/platform.h"
#include "tb/runtime/reference.h"

namespace tern::tb {

namespace {

std::size_t wrong_elements(Platform& platform, std::uint64_t batch,
                           const std::vector<std::uint64_t>& sizes, std::mt19937_64& random,
                           unsigned core = 0) {
  runtime::Runtime& runtime = platform.runtime;
  std::vector<runtime::Buffer> buffers;
  buffers.reserve(2 * sizes.size() + 3);
  runtime::Runtime::Bindings bindings;
  const auto bind = [&](const std::string& name, const void* data, std::uint64_t bytes) {
    buffers.push_back(runtime.allocate(name, bytes, core));
    if (data != nullptr) runtime.copy_to_device(buffers.back(), data, bytes);
    bindings[name] = &buffers.back();
  };
  const auto x = random_half(Half::kBf16, sizes.front() * batch, random);
  bind("x", x.data(), x.size() * 2);
  std::vector<ReferenceLayer> layers;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    ReferenceLayer layer;
    layer.in = sizes[i];
    layer.out = sizes[i + 1];
    layer.weight = random_half(Half::kBf16, layer.in * layer.out, random);
    for (std::size_t j = 0; j < layer.out; ++j) {
      layer.bias.push_back(std::uniform_real_distribution<float>(-3, 3)(random));
    }
    // Small weights: logits near each other, so that the softmax is not all zeros and ones.
    for (std::uint16_t& weight : layer.weight) {
      weight = float_to_bf16(half_to_float(Half::kBf16, weight) / static_cast<float>(layer.in));
    }
    bind("w" + std::to_string(i), layer.weight.data(), layer.weight.size() * 2);
    bind("b" + std::to_string(i), layer.bias.data(), layer.bias.size() * 4);
    layers.push_back(std::move(layer));
  }
  const std::size_t classes = sizes.back();
  bind("logits", nullptr, batch * classes * 4);
  bind("probabilities", nullptr, batch * classes * 4);

  kernels::MlpSpec spec;
  spec.batch = batch;
  spec.sizes = sizes;
  auto program = runtime.load(kernels::build_mlp(spec, platform.config), bindings, core);
  runtime.run(program);
  const ReferenceResult expected = reference_mlp(x, batch, layers);
  std::vector<float> logits(batch * classes), probabilities(batch * classes);
  runtime.copy_from_device(buffers.end()[-2], logits.data(), logits.size() * 4);
  runtime.copy_from_device(buffers.back(), probabilities.data(), logits.size() * 4);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    wrong += canonical_bits(logits[i]) != canonical_bits(expected.logits[i]) ? 1 : 0;
    wrong += canonical_bits(probabilities[i]) != canonical_bits(expected.probabilities[i]) ? 1 : 0;
  }
  return wrong;
}

}  // namespace

TEST_CASE("mlp: the digits network, bit for bit") {
  Platform platform;
  std::mt19937_64 random(test_seed());
  platform.run([&] {
    CHECK(wrong_elements(platform, 1000, {784, 128, 10}, random) == 0);
    CHECK(wrong_elements(platform, 1, {784, 128, 10}, random) == 0);
  });
}

TEST_CASE("mlp: odd sizes, one layer to four, bit for bit") {
  Platform platform;
  std::mt19937_64 random(test_seed() + 1);
  platform.run([&] {
    CHECK(wrong_elements(platform, 7, {5, 3}, random) == 0);
    CHECK(wrong_elements(platform, 130, {129, 1}, random) == 0);
    CHECK(wrong_elements(platform, 600, {100, 700, 300, 512}, random) == 0);
    CHECK(wrong_elements(platform, 33, {1, 1, 1, 1, 2}, random) == 0);
    CHECK(wrong_elements(platform, 515, {300, 129, 140, 37, 11}, random) == 0);
  });
}

TEST_CASE("mlp: blocks of batch elements whole and ragged, classes up to a block's limit") {
  Platform platform;
  std::mt19937_64 random(test_seed() + 4);
  platform.run([&] {
    CHECK(wrong_elements(platform, 5000, {20, 3, 10}, random) == 0);
    CHECK(wrong_elements(platform, 2049, {130, 9, 128}, random) == 0);  // banks of four groups
    CHECK(wrong_elements(platform, 1030, {5, 257, 171}, random) == 0);  // banks of two
    CHECK(wrong_elements(platform, 2047, {7, 130, 140, 1}, random) == 0);
    CHECK(wrong_elements(platform, 1153, {200, 10}, random) == 0);  // no hidden layer
    const std::uint64_t batch = 1 + random() % 3000;
    CHECK(wrong_elements(platform, batch, {1 + random() % 300, 1 + random() % 300, 10}, random) ==
          0);
  });
}

TEST_CASE("mlp: weights that do not fit into SBUF are streamed, bit for bit") {
  Platform platform("trn3", {{"core.sbuf_kib_per_partition", "24", "test"}});
  std::mt19937_64 random(test_seed() + 2);
  platform.run([&] { CHECK(wrong_elements(platform, 140, {300, 1300, 900, 20}, random) == 0); });
}

TEST_CASE("mlp: on every core of the chip") {
  Platform platform;
  std::mt19937_64 random(test_seed() + 3);
  platform.run([&] {
    for (unsigned core = 0; core < platform.runtime.cores(); ++core) {
      CHECK(wrong_elements(platform, 20, {150, 40, 10}, random, core) == 0);
    }
  });
}

}  // namespace tern::tb

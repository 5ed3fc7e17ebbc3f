// SPDX-License-Identifier: Apache-2.0
// The committed digits and weights, and the trainer on a small set.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "sw/base/checksum.h"
#include "sw/data/idx.h"
#include "sw/data/npy.h"
#include "sw/examples/digits/mlp.h"
#include "sw/examples/digits/trainer.h"
#include "tb/data/support.h"

namespace {

namespace fs = std::filesystem;
namespace base = tern::base;
namespace data = tern::data;
namespace digits = tern::digits;

const fs::path kExample = fs::path(TERN_SOURCE_DIR) / "sw/examples/digits";

data::ImageSet committed(const std::string& name) {
  return data::read_image_set(kExample / "data" / (name + "-images-idx3-ubyte.gz"),
                              kExample / "data" / (name + "-labels-idx1-ubyte.gz"));
}

data::ImageSet first_of(const data::ImageSet& set, std::size_t count) {
  data::ImageSet first = set;
  first.count = count;
  first.pixels.resize(count * set.pixels_per_image());
  first.labels.resize(count);
  return first;
}

digits::Mlp committed_weights() {
  const auto read = [](const char* name, const data::Shape& shape) {
    return data::read_npy_as(kExample / "weights" / name, data::DType::kF32, shape).values<float>();
  };
  digits::Mlp mlp;
  mlp.inputs = 784;
  mlp.hidden = 128;
  mlp.w1 = read("w1.npy", {784, 128});
  mlp.b1 = read("b1.npy", {128});
  mlp.w2 = read("w2.npy", {128, 10});
  mlp.b2 = read("b2.npy", {10});
  return mlp;
}

TEST_CASE("digits: committed files have their listed checksums") {
  std::ifstream list(kExample / "checksums.crc32");
  std::string crc;
  std::string name;
  std::uintmax_t bytes = 0;
  int files = 0;
  while (list >> crc >> name) {
    CAPTURE(name);
    CHECK(base::file_crc32(kExample / name) == std::stoul(crc, nullptr, 16));
    bytes += fs::file_size(kExample / name);
    ++files;
  }
  CHECK(files == 8);
  CHECK(bytes <= 4u << 20);
}

TEST_CASE("digits: the subset is the start of the full set") {
  const char* chosen = std::getenv("TERN_MNIST_DIR");
  const fs::path full = chosen != nullptr ? chosen : TERN_SOURCE_DIR "/build/mnist";
  if (!fs::exists(full / "train-images-idx3-ubyte")) {
    WARN("skipped: no full set in " << full.string() << " (scripts/fetch-mnist brings it)");
    return;
  }
  const auto check = [&](const std::string& name, const std::string& full_name, std::size_t count) {
    const auto all = data::read_image_set(full / (full_name + "-images-idx3-ubyte"),
                                          full / (full_name + "-labels-idx1-ubyte"));
    CHECK(all.count == count);
    const auto part = committed(name);
    const auto expected = first_of(all, part.count);
    CHECK(part.count == 10000);
    CHECK((part.pixels == expected.pixels));
    CHECK(part.labels == expected.labels);
  };
  check("train10k", "train", 60000);
  check("t10k", "t10k", 10000);
}

TEST_CASE("digits: the files are MNIST") {
  // Labels of the first digits and the class counts, as published for MNIST.
  const auto test = committed("t10k");
  const auto train = committed("train10k");
  for (const auto& set : {test, train}) {
    CHECK(set.count == 10000);
    CHECK(set.rows == 28);
    CHECK(set.columns == 28);
  }
  const auto starts = [](const data::ImageSet& set) {
    return std::vector<int>(set.labels.begin(), set.labels.begin() + 10);
  };
  CHECK(starts(test) == std::vector<int>{7, 2, 1, 0, 4, 1, 4, 9, 5, 9});
  CHECK(starts(train) == std::vector<int>{5, 0, 4, 1, 9, 2, 1, 3, 1, 4});
  std::array<int, 10> counts{};
  for (const auto label : test.labels) ++counts[label];
  CHECK(counts == std::array<int, 10>{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009});
}

TEST_CASE("digits: committed weights are BF16 values and reach their accuracy") {
  const digits::Mlp mlp = committed_weights();
  const auto is_bf16 = [](float w) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &w, sizeof bits);
    return (bits & 0xffff) == 0;
  };
  CHECK(std::all_of(mlp.w1.begin(), mlp.w1.end(), is_bf16));
  CHECK(std::all_of(mlp.w2.begin(), mlp.w2.end(), is_bf16));
  const std::size_t correct = digits::count_correct(mlp, committed("t10k"));
  CAPTURE(correct);
  CHECK(correct >= 9750);
}

TEST_CASE("digits: pixels are bf16(u8 / 255)") {
  const auto& value_of = digits::pixel_values();
  CHECK(value_of[0] == 0.0f);
  CHECK(value_of[255] == 1.0f);
  CHECK(value_of[1] == 0x1.02p-8f);  // 0x1.010101p-8, just above the tie
  for (int u = 1; u < 256; ++u) {
    CAPTURE(u);
    // Eight significant bits: within 2^-9 of the exact quotient, and a hair for the FP32 product.
    CHECK(value_of[u] == Approx(u / 255.0).epsilon(0x1.001p-8).margin(0));
    CHECK(value_of[u] > value_of[u - 1]);
  }
}

TEST_CASE("digits: training is repeatable and learns") {
  const auto set = first_of(committed("train10k"), 2000);
  digits::TrainOptions options;
  options.hidden = 64;
  options.epochs = 4;
  options.seed = 7;
  std::vector<double> losses;
  digits::Mlp first = digits::train(
      set, options, [&](const digits::EpochResult& result) { losses.push_back(result.loss); });
  digits::Mlp second = digits::train(set, options);
  const auto same = [](const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), 4 * a.size()) == 0;
  };
  CHECK(same(first.w1, second.w1));
  CHECK(same(first.b1, second.b1));
  CHECK(same(first.w2, second.w2));
  CHECK(same(first.b2, second.b2));
  REQUIRE(losses.size() == 4);
  CHECK(losses.back() < losses.front());

  options.seed = 8;
  CHECK_FALSE(same(first.w1, digits::train(set, options).w1));

  digits::round_weights_to_bf16(first);
  const auto test = committed("t10k");
  CHECK(digits::count_correct(first, test) > test.count * 80 / 100);
}

}  // namespace

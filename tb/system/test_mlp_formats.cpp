// SPDX-License-Identifier: Apache-2.0
// A user's own network in the formats of the tensor engine, against plain loops in double.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "sw/data/npy.h"
#include "tb/common/seed.h"
#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file
using tb::run_tern;

namespace {

using Json = nlohmann::json;
using Values = std::vector<float>;

constexpr std::size_t kBatch = 37, kIn = 131, kHidden = 150, kOut = 7;

void write(const tb::TempFolder& folder, const char* name, const data::Shape& shape,
           const Values& values) {
  data::write_npy(folder.path(name), data::make_array(data::DType::kF32, shape, values));
}

double hidden_in_fp64(const std::string& function, double u) {
  if (function == "gelu") return u * 0.5 * (1 + std::erf(u / std::sqrt(2.0)));
  if (function == "silu") return u / (1 + std::exp(-u));
  if (function == "tanh") return std::tanh(u);
  if (function == "sigmoid") return 1 / (1 + std::exp(-u));
  return std::max(u, 0.0);
}

// Tensors x, w1, b1, w2, b2 in files, and the network in double.
class Network {
 public:
  explicit Network(const tb::TempFolder& folder) : folder_(folder) {
    std::mt19937 random(static_cast<unsigned>(tb::test_seed()));
    const auto draw = [&](std::size_t n, float deviation) {
      std::normal_distribution<float> normal(0, deviation);
      Values v(n);
      for (float& x : v) x = normal(random);
      return v;
    };
    x_ = draw(kBatch * kIn, 1);
    w1_ = draw(kIn * kHidden, 0.09F);
    b1_ = draw(kHidden, 0.1F);
    w2_ = draw(kHidden * kOut, 0.08F);
    b2_ = draw(kOut, 0.1F);
    write(folder, "x.npy", {kBatch, kIn}, x_);
    write(folder, "w1.npy", {kIn, kHidden}, w1_);
    write(folder, "b1.npy", {kHidden}, b1_);
    write(folder, "w2.npy", {kHidden, kOut}, w2_);
    write(folder, "b2.npy", {kOut}, b2_);
  }

  Values result(const std::string& hidden, const std::string& last) const {
    Values y(kBatch * kOut);
    for (std::size_t b = 0; b < kBatch; ++b) {
      std::vector<double> h(kHidden), z(kOut);
      for (std::size_t o = 0; o < kHidden; ++o) {
        double sum = b1_[o];
        for (std::size_t i = 0; i < kIn; ++i)
          sum += static_cast<double>(x_[b * kIn + i]) * w1_[i * kHidden + o];
        h[o] = hidden_in_fp64(hidden, sum);
      }
      double all = 0;
      for (std::size_t o = 0; o < kOut; ++o) {
        z[o] = b2_[o];
        for (std::size_t i = 0; i < kHidden; ++i) z[o] += h[i] * w2_[i * kOut + o];
        all += std::exp(z[o]);
      }
      for (std::size_t o = 0; o < kOut; ++o) {
        const double value = last == "softmax"   ? std::exp(z[o]) / all
                             : last == "sigmoid" ? 1 / (1 + std::exp(-z[o]))
                                                 : z[o];
        y[b * kOut + o] = static_cast<float>(value);
      }
    }
    return y;
  }

  std::string yaml(const std::string& hidden, const std::string& last, const std::string& keys,
                   double tolerance) const {
    write(folder_, "y.npy", {kBatch, kOut}, result(hidden, last));
    return folder_.put("n.yaml", "kind: mlp\n" + keys +
                                     "\ninput: {tensor: x.npy}\nlayers:\n"
                                     "  - {weight: w1.npy, bias: b1.npy, activation: " +
                                     hidden +
                                     "}\n"
                                     "  - {weight: w2.npy, bias: b2.npy, activation: " +
                                     last + "}\nexpect: {output: y.npy, tolerance: " +
                                     std::to_string(tolerance) + "}\n");
  }

 private:
  const tb::TempFolder& folder_;
  Values x_, w1_, b1_, w2_, b2_;
};

Json run(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const tb::Outcome outcome = run_tern(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return Json::parse(outcome.out);
}

}  // namespace

TEST_CASE("mlp in every format: bits of the reference, errors of the format's size") {
  tb::TempFolder folder;
  const Network network(folder);
  const std::string yaml =
      network.yaml("relu", "softmax",
                   "formats: [fp32, tf32, fp16, bf16, fp8_e4m3, fp8_e4m3fn, fp8_e5m2, "
                   "mxfp8_e4m3fn, mxfp8_e5m2, mxfp4, w4a8, mxfp8_ocp, mxfp4_aws, w4a8_aws]",
                   0.5);
  const Json result = run({"run", yaml});
  REQUIRE(result["rows"].size() == 14);
  for (const Json& row : result["rows"]) {
    INFO(row);
    const std::string format = row["format"];
    CHECK(row["passed"] == true);
    CHECK(row["words"] == kBatch * (kHidden + kOut));
    CHECK(row["mismatches"] == 0);
    CHECK(row["simulated_us"] > 0);
    const double most = format == "fp32"                                                ? 1e-6
                        : format == "tf32" || format == "fp16"                          ? 3e-3
                        : format == "bf16"                                              ? 1e-2
                        : format.rfind("mxfp4", 0) == 0 || format.rfind("w4a8", 0) == 0 ? 0.4
                                                                                        : 0.15;
    CHECK(row["rms_error"] < most);
    CHECK(row["rms_error"] > most * 1e-3);
    if (format == "fp32") {
      CHECK(row["error_expected"] < 1e-6);
      CHECK(row["same_answers"] == kBatch);
    }
  }
}

TEST_CASE("mlp: functions between layers and at the end") {
  tb::TempFolder folder;
  const Network network(folder);
  for (const std::string hidden : {"gelu", "silu", "tanh", "sigmoid"}) {
    for (const std::string last : {"none", "sigmoid", "softmax"}) {
      INFO(hidden << ", then " << last);
      const Json result = run({"run", network.yaml(hidden, last, "precision: fp32", 1e-5)});
      CHECK(result["rows"][0]["mismatches"] == 0);
    }
  }
}

TEST_CASE("mlp in a format on the RTL: the bits and cycles of the model") {
  tb::TempFolder folder;
  const Network network(folder);
  const std::string yaml = network.yaml("gelu", "none", "formats: [mxfp8_e4m3fn, w4a8]", 1);
  const Json result = run({"run", yaml, "--tensor", "both"});
  for (const Json& row : result["rows"]) {
    CHECK(row["model_mismatches"] == 0);
    CHECK(row["model_cycles"] == row["tensor_cycles"]);
  }
}

TEST_CASE("mlp: what cannot be a format or a function is told with what can") {
  tb::TempFolder folder;
  const Network network(folder);
  const auto complaint = [&](const std::string& hidden, const std::string& last,
                             const std::string& keys) {
    const tb::Outcome outcome = run_tern({"run", network.yaml(hidden, last, keys, 1)});
    CHECK(outcome.exit_code == 2);
    return outcome.error_line();
  };
  using Catch::Contains;
  CHECK_THAT(complaint("softmax", "none", ""),
             Contains("'layers[0].activation': expected one of relu, gelu, gelu_tanh, silu, mish, "
                      "softplus, tanh, sigmoid, none, got 'softmax'"));
  CHECK_THAT(complaint("relu", "argmax", ""),
             Contains("'layers[1].activation'") && Contains("none, softmax, got 'argmax'"));
  CHECK_THAT(complaint("relu", "none", "precision: sparse_4_16"),
             Contains("'precision': expected one of bf16, fp16, tf32, fp32, fp8_e4m3"));
  CHECK_THAT(complaint("relu", "none", "formats: [bf16, bf16]"), Contains("each format once"));
  CHECK_THAT(complaint("relu", "none", "formats: [mxfp8, mxfp8_e4m3fn]"),
             Contains("each format once"));
  CHECK_THAT(complaint("relu", "none", "formats: [bf16]\nprecision: bf16"),
             Contains("only one of 'precision' and 'formats'"));
}

TEST_CASE("mlp: numbers that are not finite are announced, with file, count and place") {
  tb::TempFolder folder;
  const Network network(folder);
  Values weight(kHidden * kOut, 0.1F);
  weight[2 * kOut + 3] = NAN;
  weight[2 * kOut + 4] = INFINITY;
  weight[9 * kOut] = NAN;
  write(folder, "w2.npy", {kHidden, kOut}, weight);
  const tb::Outcome outcome = run_tern({"run", network.yaml("relu", "none", "", 1)});
  CHECK(outcome.err.find("tern: warning: ") == 0);
  CHECK(outcome.err.find("key 'layers[1].weight': 2 NaN and 1 infinite of 1,050 values in '" +
                         folder.path("w2.npy") + "', the first at [2, 3]") != std::string::npos);
  CHECK(outcome.err.find("layers[0]") == std::string::npos);
  const std::string product = folder.put("m.yaml", "kind: matmul\na: w2.npy\nb: w2.npy\n");
  CHECK(run_tern({"run", product}).err.find("key 'b': 2 NaN") != std::string::npos);
}

TEST_CASE("mlp: a transposed weight and wrong labels are named") {
  tb::TempFolder folder;
  const Network network(folder);
  write(folder, "w1.npy", {kHidden, kIn}, Values(kIn * kHidden));
  const auto turned = run_tern({"run", network.yaml("relu", "none", "", 1)}).error_line();
  CHECK(
      turned.find("shape [131, any], this one is [150, 131] (transposed? in numpy: w.T.copy())") !=
      std::string::npos);

  using namespace std::string_literals;
  folder.put("images", "\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x03"s + "\1\2\3\3\2\1");
  folder.put("labels", "\0\0\x08\x01\0\0\0\x01\0"s);
  const auto yaml =
      folder.put("l.yaml",
                 "kind: mlp\ninput: {images: images, labels: labels}\n"
                 "layers:\n  - {weight: w1.npy, bias: b1.npy, activation: softmax}\n");
  CHECK(run_tern({"run", yaml}).error_line().find("key 'input.labels': ") != std::string::npos);
}

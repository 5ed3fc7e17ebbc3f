// SPDX-License-Identifier: Apache-2.0
// Activation functions: errors over all BF16 inputs against MPFR, special values, and the bits of
// the definition from a second implementation that reads docs/spec/activation.yaml.
#include <yaml-cpp/yaml.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "sw/numerics/activation.h"
#include "sw/spec/generated/isa.h"
#include "tb/common/seed.h"
#include "tb/numerics/activation_error.h"
#include "tb/numerics/activation_oracle.h"
#include "tb/numerics/mpfr_oracle.h"

using namespace tern::numerics;  // NOLINT: a test uses the names of what it tests
using F = ActFunction;

namespace {

const float kNan = float_of(kCanonicalNan);
const float kPi = float_of(0x40490FDB);

float result(F f, float u, float parameter = 0.0f) {
  float y = 0;
  activate(f, &u, &y, 1, parameter);
  return y;
}
std::uint32_t result_bits(F f, float u, float parameter = 0.0f) {
  return bits_of(result(f, u, parameter));
}

std::string file_text(const std::string& name) {
  std::ifstream file(std::string(TERN_SOURCE_DIR) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The piecewise polynomial as docs/numerics.md defines it; every fma is MPFR's.
class DefinedFunction {
 public:
  explicit DefinedFunction(const YAML::Node& spec) : spec_(spec) {}

  std::uint32_t operator()(float u) {
    const bool folded = spec_["symmetry"].as<std::string>() != "none";
    const bool flips = spec_["symmetry"].as<std::string>() == "odd" && std::signbit(u);
    if (std::isnan(u)) return kCanonicalNan;
    const float x = folded ? std::fabs(u) : u;
    const std::uint32_t y = of(x);
    return y == kCanonicalNan || !flips ? y : y ^ 0x80000000;
  }

 private:
  float number(const char* key) { return float_of(spec_[key].as<std::uint32_t>()); }

  std::uint32_t of(float x) {
    if (x > number("highest")) {
      return spec_["above"].as<std::string>() == "u" ? bits_of(x)
                                                     : spec_["above"].as<std::uint32_t>();
    }
    if (x < number("lowest")) return spec_["below"].as<std::uint32_t>();
    const int first_exponent = spec_["first_exponent"].as<int>();
    unsigned range = 0;
    double within = 0.0;  // position in the range, 0 to 1
    if (std::fabs(x) >= std::ldexp(1.0, first_exponent)) {
      const int exponent = std::ilogb(x);
      range = static_cast<unsigned>(exponent - first_exponent + 1);
      within = std::ldexp(std::fabs(static_cast<double>(x)), -exponent) - 1.0;
    }
    if (std::signbit(x)) range += spec_["positive_ranges"].as<unsigned>();
    const YAML::Node r = spec_["ranges"][range];
    const auto segment =
        r[0].as<unsigned>() + static_cast<unsigned>(std::ldexp(within, r[1].as<int>()));
    const YAML::Node words = spec_["segments"][segment];
    const auto word = [&words](unsigned i) { return float_of(words[i].as<std::uint32_t>()); };
    const float distance = float_of(oracle_.subtract(x, word(0)));
    float y = word(6);
    for (unsigned k = 5; k >= 1; --k) y = float_of(oracle_.fma(y, distance, word(k)));
    return bits_of(y);
  }

  YAML::Node spec_;
  tern::tb::MpfrOracle oracle_;
};

// Half uniform in their bits, half near where the functions bend; some are special.
std::vector<float> random_inputs(std::size_t count) {
  std::mt19937_64 random(tern::tb::test_seed());
  std::vector<float> u(count);
  for (float& x : u) {
    const auto bits = static_cast<std::uint32_t>(random());
    x = float_of(bits);
    if (random() % 2 == 0) x = float_of((bits & 0x807FFFFF) | ((110 + random() % 26) << 23));
    if (random() % 64 == 0) {
      const auto& corners = tern::tb::fp32_corners();
      x = float_of(corners.begin()[random() % corners.size()]);
    }
  }
  return u;
}

}  // namespace

TEST_CASE("activation: all BF16 inputs against MPFR, the table of errors in the docs is true") {
  std::vector<tern::tb::ActivationError> errors;
  for (unsigned i = 0; i < kActFunctions; ++i) {
    const auto f = static_cast<F>(i);
    CAPTURE(act_function_name(f));
    errors.push_back(tern::tb::measure_activation(f));
    const tern::tb::ActivationError& e = errors.back();
    CHECK(static_cast<double>(e.wrong) <= 0.005 * static_cast<double>(e.inputs));
    CHECK(e.worst_steps <= 1);
    CHECK(e.worst_bf16 <= 0.501);
    CHECK(e.worst_fp32 <= 4.0);
    if (tern::tb::activation_course(f) != tern::tb::Course::kNeither) CHECK(e.backwards == 0);
  }
  const std::string page = tern::tb::activation_page(errors);
  INFO(page);
  CHECK((page == file_text("docs/reference/activation.md")));
}

TEST_CASE("activation: random FP32 inputs against MPFR") {
  tern::tb::ActivationOracle oracle;
  for (unsigned i = 0; i < kActFunctions; ++i) {
    const auto f = static_cast<F>(i);
    CAPTURE(act_function_name(f));
    const tern::tb::ActivationRange range = tern::tb::activation_range(f);
    double worst = 0;
    for (const float u : random_inputs(3000)) {
      if (!(u >= range.lowest && u <= range.highest)) continue;
      if (u == 0.0f && f == F::kReciprocal) continue;
      const float y = result(f, u, tern::tb::ActivationOracle::kSlope);
      worst = std::max(worst, tern::tb::ulp_distance(oracle.value(f, u), y, 24, -149));
    }
    CHECK(worst <= 6.0);
  }
}

TEST_CASE("activation: relative accuracy at the roots") {
  tern::tb::ActivationOracle oracle;
  const std::pair<F, float> roots[] = {{F::kGeluDx, -0.7517916f},
                                       {F::kGeluApprxSigmoidDx, -0.7511568f},
                                       {F::kSiluDx, -1.2784645f},
                                       {F::kLog, 1.0f},
                                       {F::kSin, 3.1415925f}};
  for (const auto& [f, root] : roots) {
    CAPTURE(act_function_name(f));
    double worst = 0, smallest = 1;
    for (std::int32_t step = -4000; step <= 4000; ++step) {
      const float u = float_of(bits_of(root) + static_cast<std::uint32_t>(step));
      if (f == F::kSin && u > kPi) continue;
      const float y = result(f, u);
      smallest = std::min(smallest, std::fabs(static_cast<double>(y)));
      worst = std::max(worst, tern::tb::ulp_distance(oracle.value(f, u), y, 24, -149));
    }
    CHECK(smallest < 1e-7);  // the root is there
    CHECK(worst <= 2.0);
  }
}

TEST_CASE("activation: the bits of the definition, random FP32 inputs") {
  const YAML::Node functions = YAML::Load(file_text("docs/spec/activation.yaml"))["activation"];
  const std::vector<float> u = random_inputs(3000);
  std::vector<float> y(u.size());
  std::size_t compared = 0;
  for (unsigned i = 0; i < kActFunctions; ++i) {
    const auto f = static_cast<F>(i);
    for (const YAML::Node& spec : functions) {
      if (spec["name"].as<std::string>() != act_function_name(f) || f == F::kLog) continue;
      CAPTURE(act_function_name(f));
      DefinedFunction defined(spec);
      activate(f, u.data(), y.data(), u.size());
      std::size_t wrong = 0;
      for (std::size_t k = 0; k < u.size(); ++k) wrong += bits_of(y[k]) != defined(u[k]);
      CHECK(wrong == 0);
      ++compared;
    }
  }
  CHECK(compared == 15);
}

TEST_CASE("activation: the bits of log's definition") {
  const YAML::Node functions = YAML::Load(file_text("docs/spec/activation.yaml"))["activation"];
  for (const YAML::Node& spec : functions) {
    if (spec["name"].as<std::string>() != "log") continue;
    DefinedFunction table(spec);
    tern::tb::MpfrOracle oracle;
    std::size_t wrong = 0;
    for (const float any : random_inputs(4000)) {
      const float u = std::fabs(any);
      if (u == 0.0f || !std::isfinite(u)) continue;
      int k = std::ilogb(u);
      float m = std::ldexp(u, -k);  // 1 <= m < 2
      if (m >= 1.375f) {
        m /= 2;
        ++k;
      }
      const auto exponent = static_cast<float>(k);
      const float low = float_of(oracle.fma(exponent, -0x1.05c61p-29f, float_of(table(m))));
      wrong += result_bits(F::kLog, u) != oracle.fma(exponent, 0x1.62e43p-1f, low);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("activation: NaN, infinities, zeros") {
  struct Special {
    F f;
    float minus_infinity, minus_zero, zero, infinity;
  };
  const float half_pi = float_of(0x3FC90FDB);
  const Special specials[] = {
      {F::kIdentity, -INFINITY, -0.0f, 0.0f, INFINITY},
      {F::kRelu, 0.0f, 0.0f, 0.0f, INFINITY},
      {F::kExp, 0.0f, 1.0f, 1.0f, INFINITY},
      {F::kSquare, INFINITY, 0.0f, 0.0f, INFINITY},
      {F::kSigmoid, 0.0f, 0.5f, 0.5f, 1.0f},
      {F::kPrelu, -INFINITY, -0.0f, 0.0f, INFINITY},
      {F::kGelu, -0.0f, -0.0f, 0.0f, INFINITY},
      {F::kGeluDx, -0.0f, 0.5f, 0.5f, 1.0f},
      {F::kGeluApprxTanh, -0.0f, -0.0f, 0.0f, INFINITY},
      {F::kGeluApprxSigmoid, -0.0f, -0.0f, 0.0f, INFINITY},
      {F::kGeluApprxSigmoidDx, -0.0f, 0.5f, 0.5f, 1.0f},
      {F::kSilu, -0.0f, -0.0f, 0.0f, INFINITY},
      {F::kSiluDx, -0.0f, 0.5f, 0.5f, 1.0f},
      {F::kTanh, -1.0f, -0.0f, 0.0f, 1.0f},
      {F::kSoftplus, 0.0f, float_of(0x3F317218), float_of(0x3F317218), INFINITY},
      {F::kMish, -0.0f, -0.0f, 0.0f, INFINITY},
      {F::kErf, -1.0f, -0.0f, 0.0f, 1.0f},
      {F::kErfDx, 0.0f, float_of(0x3F906EBB), float_of(0x3F906EBB), 0.0f},
      {F::kSign, -1.0f, 0.0f, 0.0f, 1.0f},
      {F::kAbs, INFINITY, 0.0f, 0.0f, INFINITY},
      {F::kLog, kNan, -INFINITY, -INFINITY, INFINITY},
      {F::kSin, kNan, -0.0f, 0.0f, kNan},
      {F::kArctan, -half_pi, -0.0f, 0.0f, half_pi},
      {F::kSqrt, kNan, -0.0f, 0.0f, INFINITY},
      {F::kRsqrt, kNan, -INFINITY, INFINITY, 0.0f},
      {F::kReciprocal, -0.0f, -INFINITY, INFINITY, 0.0f},
  };
  static_assert(sizeof specials / sizeof specials[0] == kActFunctions);
  for (const Special& s : specials) {
    CAPTURE(act_function_name(s.f));
    CHECK(result_bits(s.f, -INFINITY, 0.25f) == bits_of(s.minus_infinity));
    CHECK(result_bits(s.f, -0.0f, 0.25f) == bits_of(s.minus_zero));
    CHECK(result_bits(s.f, 0.0f, 0.25f) == bits_of(s.zero));
    CHECK(result_bits(s.f, INFINITY, 0.25f) == bits_of(s.infinity));
    for (const std::uint32_t nan : {0x7FC00000u, 0xFFC00001u, 0x7F800001u, 0xFF800001u}) {
      CHECK(result_bits(s.f, float_of(nan), 0.25f) == kCanonicalNan);
    }
  }
}

TEST_CASE("activation: outside of a function's range") {
  CHECK(result(F::kSin, kPi) < 0.0f);  // FP32's pi is a little more than pi
  CHECK(result(F::kSin, -kPi) > 0.0f);
  CHECK(result_bits(F::kSin, float_of(0x40490FDC)) == kCanonicalNan);
  CHECK(result_bits(F::kSin, float_of(0xC0490FDC)) == kCanonicalNan);
  for (const float u : {float_of(0x80000001), -1.0f, -INFINITY}) {
    CHECK(result_bits(F::kLog, u) == kCanonicalNan);
    CHECK(result_bits(F::kSqrt, u) == kCanonicalNan);
    CHECK(result_bits(F::kRsqrt, u) == kCanonicalNan);
  }
}

TEST_CASE("activation: prelu multiplies what is not above zero") {
  CHECK(result(F::kPrelu, 3.0f, 0.5f) == 3.0f);
  CHECK(result(F::kPrelu, -3.0f, 0.5f) == -1.5f);
  CHECK(result(F::kPrelu, -3.0f, -2.0f) == 6.0f);
  CHECK(result_bits(F::kPrelu, 0.0f, -1.0f) == 0x80000000);
  CHECK(result_bits(F::kPrelu, 0.0f, INFINITY) == kCanonicalNan);
}

TEST_CASE("activation: rows of every length give the bits of single elements, in place too") {
  for (unsigned i = 0; i < kActFunctions; ++i) {
    const auto f = static_cast<F>(i);
    CAPTURE(act_function_name(f));
    for (const std::size_t n : {0, 1, 7, 16, 33, 100}) {
      const std::vector<float> u = random_inputs(n);
      std::vector<float> y(n + 1, 42.0f), same = u;
      activate(f, u.data(), y.data(), n, 0.25f);
      activate(f, same.data(), same.data(), n, 0.25f);
      std::size_t wrong = 0;
      for (std::size_t k = 0; k < n; ++k) {
        wrong += bits_of(y[k]) != result_bits(f, u[k], 0.25f);
        wrong += bits_of(y[k]) != bits_of(same[k]);
      }
      CHECK(wrong == 0);
      CHECK(y[n] == 42.0f);
    }
  }
}

TEST_CASE("activation: numbers and names are those of the instruction set") {
  CHECK(static_cast<unsigned>(F::kSigmoid) == TERN_ACT_FUNC_SIGMOID);
  CHECK(static_cast<unsigned>(F::kGeluApprxSigmoidDx) == TERN_ACT_FUNC_GELU_APPRX_SIGMOID_DX);
  CHECK(static_cast<unsigned>(F::kReciprocal) == TERN_ACT_FUNC_RECIPROCAL);
  const YAML::Node functions = YAML::Load(file_text("docs/spec/isa.yaml"))["enums"]["act_func"];
  REQUIRE(functions.size() == kActFunctions);
  for (const YAML::Node& function : functions) {
    const auto f = static_cast<F>(function["value"].as<unsigned>());
    CHECK(function["name"].as<std::string>() == act_function_name(f));
  }
  float x = 0;
  CHECK_THROWS_AS(activate(static_cast<F>(kActFunctions), &x, &x, 1), std::logic_error);
}

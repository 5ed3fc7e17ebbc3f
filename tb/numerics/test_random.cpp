// SPDX-License-Identifier: Apache-2.0
// Random generators and stochastic rounding.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "sw/numerics/convert.h"
#include "sw/numerics/fp8.h"
#include "sw/numerics/stochastic.h"
#include "sw/numerics/xorwow.h"
#include "tb/common/seed.h"
#include "tb/numerics/mpfr_oracle.h"

using namespace tern::numerics;

namespace {

// A format by its definition, as far as stochastic rounding is concerned.
struct Format {
  DType type;
  int mantissa, smallest_exponent;  // bits; exponent of the smallest normal number
  double largest;
};
const Format kFormats[] = {{DType::kBf16, 7, -126, std::ldexp(255.0, 120)},
                           {DType::kFp16, 10, -14, 65504.0},
                           {DType::kE4m3, 3, -6, 240.0},
                           {DType::kE5m2, 2, -14, 57344.0},
                           {DType::kE4m3Fn, 3, -6, 448.0}};

// The neighbour that the draw chooses, in double; infinite beyond the largest finite value.
double expected(const Format& format, float value, std::uint32_t draw) {
  if (std::isinf(value) || value == 0.0f) return value;
  const double magnitude = std::fabs(static_cast<double>(value));
  const int exponent = std::max(std::ilogb(magnitude), format.smallest_exponent);
  const double unit = std::ldexp(1.0, exponent - format.mantissa);
  const double lower = std::floor(magnitude / unit);
  const double part = std::floor(std::ldexp(magnitude / unit - lower, 32));
  const bool up = part + draw >= std::ldexp(1.0, 32);
  const double result = (up ? lower + 1 : lower) * unit;
  return std::copysign(result > format.largest ? HUGE_VAL : result, value);
}

double decode(DType type, std::uint32_t code) {
  const auto byte = static_cast<std::uint8_t>(code);
  switch (type) {
    case DType::kE4m3:
      return e4m3_to_float(byte);
    case DType::kE5m2:
      return e5m2_to_float(byte);
    case DType::kE4m3Fn:
      return e4m3fn_to_float(byte);
    default:
      return widen_element(type, &code);
  }
}

// Counts errors.
bool agrees(const Format& format, float value, std::uint32_t draw) {
  const double result = decode(format.type, round_stochastically(format.type, value, draw));
  if (std::isnan(value)) return std::isnan(result);
  const double wanted = expected(format, value, draw);
  if (format.type == DType::kE4m3Fn && std::isinf(wanted)) return std::isnan(result);
  return result == wanted && std::signbit(result) == std::signbit(wanted);
}

}  // namespace

TEST_CASE("random: XORWOW gives the published sequence") {
  // Marsaglia, Xorshift RNGs (2003): the seeds of xorwow() and what it then returns.
  Xorwow generator{{123456789, 362436069, 521288629, 88675123, 5783321, 6615241}};
  for (std::uint32_t draw : {246875399U, 3690007200U, 1264581005U, 3906711041U, 1866187943U}) {
    CHECK(generator.draw() == draw);
  }
}

TEST_CASE("random: state words are scattered counters, no generator is dead") {
  CHECK(random_state_word(0, 1) == 0x514E28B7);
  CHECK(random_state_word(0, 0) == 0);
  CHECK(random_state_word(1, 0) == scatter_bits(scatter_bits(1)));
  // 0 only where the sum wraps to 0: once for every seed.
  const std::uint32_t seed = 12345;
  CHECK(random_state_word(seed, 0u - scatter_bits(seed)) == 0);
  CHECK(random_state_word(seed, 1u - scatter_bits(seed)) != 0);
}

TEST_CASE("random: uniform numbers are multiples of 2^-24 below 1") {
  CHECK(uniform_from_bits(0) == 0.0f);
  CHECK(uniform_from_bits(0xFF) == 0.0f);
  CHECK(uniform_from_bits(0x100) == std::ldexp(1.0f, -24));
  CHECK(uniform_from_bits(0x80000000) == 0.5f);
  CHECK(uniform_from_bits(0xFFFFFFFF) == 1.0f - std::ldexp(1.0f, -24));
}

TEST_CASE("stochastic rounding: the draw chooses between the two neighbours") {
  std::mt19937_64 random(tern::tb::test_seed());
  const std::uint32_t draws[] = {0,          1,          0xFFFF,     0x10000,   0x7FFFFFFF,
                                 0x80000000, 0xFFFF0000, 0xFFFFFFFE, 0xFFFFFFFF};
  for (const Format& format : kFormats) {
    unsigned wrong = 0;
    for (std::uint32_t bits : tern::tb::fp32_corners()) {
      for (std::uint32_t draw : draws) wrong += agrees(format, float_of(bits), draw) ? 0 : 1;
    }
    for (unsigned i = 0; i < 200'000; ++i) {
      // All exponents, and those of the format's range often.
      auto bits = static_cast<std::uint32_t>(random());
      const auto draw = static_cast<std::uint32_t>(random() >> 32);
      if (i % 2 == 0) bits = (bits & 0x807FFFFF) | (100 + random() % 48) << 23;
      if (i % 5 == 0) bits &= 0xFFF00000;  // often exact
      const bool right = agrees(format, float_of(bits), draw);
      if (!right && wrong < 3) UNSCOPED_INFO(std::hex << bits << " draw " << draw);
      wrong += right ? 0 : 1;
    }
    INFO(dtype_name(format.type));
    CHECK(wrong == 0);
  }
}

TEST_CASE("stochastic rounding: codes of special values") {
  const float nan = float_of(0xFFC12345), infinity = float_of(0xFF800000);
  CHECK(round_stochastically(DType::kBf16, nan, ~0u) == 0x7FC0);
  CHECK(round_stochastically(DType::kFp16, nan, ~0u) == 0x7E00);
  CHECK(round_stochastically(DType::kE4m3, nan, ~0u) == 0x7C);
  CHECK(round_stochastically(DType::kE5m2, nan, ~0u) == 0x7E);
  CHECK(round_stochastically(DType::kE4m3Fn, nan, ~0u) == 0x7F);
  CHECK(round_stochastically(DType::kBf16, infinity, ~0u) == 0xFF80);
  CHECK(round_stochastically(DType::kFp16, infinity, ~0u) == 0xFC00);
  CHECK(round_stochastically(DType::kE4m3Fn, infinity, ~0u) == 0x7F);
  CHECK_THROWS_AS(round_stochastically(DType::kFp32, 1.0f, 0), std::invalid_argument);
  CHECK_FALSE(rounds_stochastically(DType::kInt32));
  CHECK(rounds_stochastically(DType::kE5m2));
}

TEST_CASE("stochastic rounding: rows take one draw per element, generators in rotation") {
  std::mt19937_64 random(tern::tb::test_seed());
  std::vector<Xorwow> generators(4);
  for (Xorwow& generator : generators) {
    for (std::uint32_t& word : generator.words) word = static_cast<std::uint32_t>(random());
  }
  std::vector<Xorwow> copy = generators;
  std::vector<float> values(1001);
  for (float& value : values) value = std::ldexp(static_cast<float>(random() % 100'000), -13);
  values[5] = NAN;
  values[6] = 1.0f;  // exact: draws all the same
  std::vector<std::uint16_t> result(values.size());
  narrow_stochastically(DType::kFp16, values.data(), result.data(), values.size(),
                        generators.data(), 4);
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(result[i] == round_stochastically(DType::kFp16, values[i], copy[i % 4].draw()));
  }
  for (unsigned g = 0; g < 4; ++g) CHECK(generators[g].words == copy[g].words);
}

TEST_CASE("stochastic rounding: the mean is the value") {
  Xorwow generator;
  for (unsigned i = 0; i < 6; ++i) generator.words[i] = random_state_word(7, i + 1);
  for (const Format& format : kFormats) {
    for (float value : {1.03125f / 3, -100.7f, 3e-3f}) {
      const int exponent = std::max(std::ilogb(value), format.smallest_exponent);
      const double unit = std::ldexp(1.0, exponent - format.mantissa);
      constexpr unsigned kDraws = 100'000;
      double sum = 0;
      for (unsigned i = 0; i < kDraws; ++i) {
        sum += decode(format.type, round_stochastically(format.type, value, generator.draw()));
      }
      INFO(dtype_name(format.type) << ' ' << value << ": mean " << sum / kDraws);
      CHECK(std::fabs(sum / kDraws - value) < 5 * 0.5 * unit / std::sqrt(kDraws));
    }
  }
}

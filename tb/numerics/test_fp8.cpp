// SPDX-License-Identifier: Apache-2.0
// FP8, FP4, E8M0 and TF32 against their definitions in double and against MPFR.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "sw/numerics/dtype.h"
#include "sw/numerics/fp8.h"
#include "sw/numerics/tf32.h"
#include "tb/common/seed.h"
#include "tb/numerics/mpfr_oracle.h"

using namespace tern::numerics;  // NOLINT: a test uses the names of what it tests
using tern::tb::BinaryFormat;
using tern::tb::MpfrOracle;

namespace {

// A format as docs/numerics.md describes it.
struct Definition {
  const char* name;
  int exponent_bits, mantissa_bits, bias;
  bool ieee;     // the largest exponent field is infinity and NaN
  bool one_nan;  // S.1111.111 alone is NaN
  double largest;
  std::uint8_t nan;
  BinaryFormat mpfr;
  float (*decode)(std::uint8_t);
  std::uint8_t (*encode)(float, Overflow);
};

const Definition kDefinitions[] = {
    {"e4m3fn", 4, 3, 7, false, true, 448, 0x7F, {4, -8, 20}, e4m3fn_to_float, e4m3fn_from_float},
    {"e4m3", 4, 3, 7, true, false, 240, 0x7C, {4, -8, 8}, e4m3_to_float, e4m3_from_float},
    {"e5m2", 5, 2, 15, true, false, 57344, 0x7E, {3, -15, 16}, e5m2_to_float, e5m2_from_float},
    {"e2m1",
     2,
     1,
     1,
     false,
     false,
     6,
     7,
     {2, 0, 20},
     e2m1_to_float,
     [](float value, Overflow) { return e2m1_from_float(value); }},
};

int codes(const Definition& d) {
  return 1 << (1 + d.exponent_bits + d.mantissa_bits);
}

double decode(const Definition& d, int code) {
  const int exponent = (code >> d.mantissa_bits) & ((1 << d.exponent_bits) - 1);
  const int mantissa = code & ((1 << d.mantissa_bits) - 1);
  const double sign = code >= codes(d) / 2 ? -1.0 : 1.0;
  const bool top = exponent == (1 << d.exponent_bits) - 1;
  if (d.ieee && top) return mantissa != 0 ? std::nan("") : sign * INFINITY;
  if (d.one_nan && top && mantissa == (1 << d.mantissa_bits) - 1) return std::nan("");
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - d.bias - d.mantissa_bits);
  return sign * std::ldexp((1 << d.mantissa_bits) + mantissa, exponent - d.bias - d.mantissa_bits);
}

// The code of a value of the format.
std::uint8_t code_of(const Definition& d, double value) {
  for (int code = 0; code < codes(d); ++code) {
    const double candidate = decode(d, code);
    if (candidate == value && std::signbit(candidate) == std::signbit(value)) {
      return static_cast<std::uint8_t>(code);
    }
  }
  return d.nan;
}

// Positive values at, next to and between all decision points, and beyond the largest.
std::vector<float> decision_points(const Definition& d) {
  std::vector<float> values = {0.0f, INFINITY};
  for (std::uint32_t bits : tern::tb::fp32_corners()) values.push_back(std::fabs(float_of(bits)));
  for (int code = 0; code < codes(d) / 2; ++code) {
    const double value = decode(d, code);
    if (!std::isfinite(value)) continue;
    const double above = value == d.largest ? 0 : decode(d, code + 1);
    const double step = above != 0 ? above - value : value - decode(d, code - 1);
    for (double quarter = 0; quarter < 8; ++quarter) {
      const float point = static_cast<float>(value + step * quarter / 4);
      values.push_back(point);
      values.push_back(std::nextafter(point, 0.0f));
      values.push_back(std::nextafter(point, INFINITY));
    }
  }
  return values;
}

std::size_t count_wrong(const Definition& d, const std::vector<float>& magnitudes) {
  MpfrOracle oracle(d.mpfr);
  std::size_t wrong = 0;
  for (const float magnitude : magnitudes) {
    for (const float value : {magnitude, -magnitude}) {
      double rounded = std::isinf(value) ? value : float_of(oracle.round(value));
      if (std::isnan(value)) rounded = std::nan("");
      double saturated = rounded;
      if (std::fabs(rounded) > d.largest) {
        saturated = std::copysign(d.largest, rounded);
        rounded = d.ieee ? std::copysign(INFINITY, rounded) : std::nan("");
      }
      wrong += d.encode(value, Overflow::kSaturate) != code_of(d, saturated);
      if (d.encode == kDefinitions[3].encode) continue;  // e2m1 only saturates
      wrong += d.encode(value, Overflow::kIeee) != code_of(d, rounded);
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("FP8 and FP4 formats: every code decodes to its definition") {
  for (const Definition& d : kDefinitions) {
    CAPTURE(d.name);
    std::size_t wrong = 0;
    double largest = 0;
    for (int code = 0; code < codes(d); ++code) {
      const double expected = decode(d, code);
      const float decoded = d.decode(static_cast<std::uint8_t>(code));
      if (std::isnan(expected)) {
        wrong += bits_of(decoded) != kCanonicalNan;
        continue;
      }
      wrong += decoded != expected || std::signbit(decoded) != std::signbit(expected);
      if (std::isfinite(expected)) largest = std::max(largest, expected);
    }
    CHECK(wrong == 0);
    CHECK(largest == d.largest);
  }
  CHECK(bits_of(e2m1_to_float(0xF5)) == bits_of(3.0f));
}

TEST_CASE("FP8 and FP4 formats: rounding, saturation and overflow at every decision point") {
  for (const Definition& d : kDefinitions) {
    CAPTURE(d.name);
    CHECK(count_wrong(d, decision_points(d)) == 0);
  }
}

TEST_CASE("FP8 and FP4 formats: random values") {
  std::mt19937_64 random(tern::tb::test_seed());
  for (const Definition& d : kDefinitions) {
    CAPTURE(d.name);
    std::vector<float> values(40000);
    for (float& value : values) {
      const auto bits = static_cast<std::uint32_t>(random());
      // Exponents around the format's own range, and any bit pattern at all.
      value = float_of((bits & 0x7FFFFF) | ((100 + bits % 48) << 23));
      if ((random() & 7) == 0) value = float_of(bits & 0x7FFFFFFF);
    }
    CHECK(count_wrong(d, values) == 0);
  }
}

TEST_CASE("E2M1 values are E4M3FN values") {
  for (int code = 0; code < 16; ++code) {
    const auto byte = static_cast<std::uint8_t>(code);
    CHECK(bits_of(e4m3fn_to_float(e4m3fn_from_e2m1(byte))) == bits_of(e2m1_to_float(byte)));
  }
}

TEST_CASE("E8M0: powers of two, 0xFF is NaN, exponents are limited") {
  for (int code = 0; code < 255; ++code) {
    CHECK(e8m0_to_float(static_cast<std::uint8_t>(code)) == std::ldexp(1.0, code - 127));
  }
  CHECK(bits_of(e8m0_to_float(0xFF)) == kCanonicalNan);
  for (int exponent = -300; exponent <= 300; ++exponent) {
    const int limited = std::min(std::max(exponent, -127), 127);
    CHECK(e8m0_from_exponent(exponent) == limited + 127);
  }
}

TEST_CASE("TF32 cuts 13 bits and checks the whole word for NaN") {
  CHECK(bits_of(tf32_to_float(0x3F801FFF)) == 0x3F800000);
  CHECK(bits_of(tf32_to_float(0xBFFFFFFF)) == 0xBFFFE000);
  CHECK(bits_of(tf32_to_float(0x00001FFF)) == 0);
  CHECK(bits_of(tf32_to_float(0x80003FFF)) == 0x80002000);
  CHECK(bits_of(tf32_to_float(0x7F7FFFFF)) == 0x7F7FE000);
  CHECK(bits_of(tf32_to_float(0xFF800000)) == 0xFF800000);
  CHECK(bits_of(tf32_to_float(0x7F800001)) == kCanonicalNan);
  CHECK(bits_of(tf32_to_float(0xFFC02000)) == kCanonicalNan);
}

TEST_CASE("Codes and sizes of the tensor engine's formats") {
  const struct {
    unsigned code;
    const char* name;
    std::size_t size;
  } formats[] = {{11, "tf32", 4},      {14, "e4m3", 1},    {15, "e5m2", 1},
                 {16, "e4m3fn", 1},    {17, "e2m1", 0},    {18, "e8m0", 1},
                 {20, "e4m3fn_x4", 4}, {21, "e5m2_x4", 4}, {22, "e2m1_x4", 2}};
  for (const auto& format : formats) {
    const auto type = dtype_from_code(format.code);
    REQUIRE(type.has_value());
    CHECK(std::string(dtype_name(*type)) == format.name);
    CHECK(dtype_size(*type) == format.size);
    CHECK(is_compute_dtype(*type) == (format.code >= 14 && format.code <= 16));
  }
  CHECK_FALSE(dtype_from_code(19));
}

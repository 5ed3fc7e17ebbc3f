// SPDX-License-Identifier: Apache-2.0
// Formats and conversions between them.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "sw/numerics/convert.h"
#include "tb/common/seed.h"
#include "tb/numerics/mpfr_oracle.h"

using namespace tern::numerics;  // NOLINT: a test uses the names of what it tests
using tern::tb::MpfrOracle;

namespace {

// A 16-bit float from its definition, in double.
double decode(std::uint16_t bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1) {
    return mantissa != 0 ? std::nan("") : sign * INFINITY;
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits);
}

std::uint32_t bf16_bits_as_fp32(float value) {
  return static_cast<std::uint32_t>(bf16_from_float(value)) << 16;
}

std::uint32_t fp16_bits_as_fp32(float value) {
  const std::uint16_t half = fp16_from_float(value);
  return half == kFp16Nan ? kCanonicalNan : bits_of(static_cast<float>(decode(half, 5, 10)));
}

bool same_value(float a, double b) {
  if (std::isnan(b)) return std::isnan(a);
  return a == b && std::signbit(a) == std::signbit(b);
}

std::size_t count_wrong(MpfrOracle& oracle, std::uint32_t (*convert)(float),
                        const std::vector<std::uint32_t>& inputs) {
  std::size_t wrong = 0;
  for (std::uint32_t bits : inputs) {
    for (std::uint32_t sign : {0u, 0x80000000u}) {
      const float value = float_of(bits | sign);
      if (convert(value) != oracle.round(value)) ++wrong;
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("element formats: codes, sizes, names") {
  CHECK(static_cast<int>(DType::kInt8) == 2);
  CHECK(static_cast<int>(DType::kUint8) == 3);
  CHECK(static_cast<int>(DType::kInt16) == 4);
  CHECK(static_cast<int>(DType::kUint16) == 5);
  CHECK(static_cast<int>(DType::kBf16) == 6);
  CHECK(static_cast<int>(DType::kFp16) == 7);
  CHECK(static_cast<int>(DType::kInt32) == 8);
  CHECK(static_cast<int>(DType::kUint32) == 9);
  CHECK(static_cast<int>(DType::kFp32) == 10);
  for (DType type : kAllDTypes) {
    CHECK(parse_dtype(dtype_name(type)) == type);
    CHECK(dtype_from_code(static_cast<unsigned>(type)) == type);
    CHECK((dtype_size(type) > 0) == (type != DType::kE2m1));
  }
  CHECK(dtype_size(DType::kUint8) == 1);
  CHECK(dtype_size(DType::kInt8) == 1);
  CHECK(dtype_size(DType::kInt16) == 2);
  CHECK(dtype_size(DType::kUint16) == 2);
  CHECK(dtype_size(DType::kBf16) == 2);
  CHECK(dtype_size(DType::kFp32) == 4);
  CHECK_FALSE(parse_dtype("float"));
  CHECK_FALSE(dtype_from_code(12));
}

TEST_CASE("BF16 and FP16 widen exactly: all 65,536 patterns") {
  std::size_t wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (!same_value(bf16_to_float(half), decode(half, 8, 7))) ++wrong;
    if (!same_value(fp16_to_float(half), decode(half, 5, 10))) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("BF16 and FP16 survive a round trip to FP32: all 65,536 patterns") {
  std::size_t wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const std::uint16_t bf16 = (bits & 0x7FFF) > 0x7F80 ? kBf16Nan : half;
    const std::uint16_t fp16 = (bits & 0x7FFF) > 0x7C00 ? kFp16Nan : half;
    if (bf16_from_float(bf16_to_float(half)) != bf16) ++wrong;
    if (fp16_from_float(fp16_to_float(half)) != fp16) ++wrong;
  }
  CHECK(wrong == 0);
}

// Every kept pattern with the discarded bits at, next to and between their decision points.
TEST_CASE("FP32 to BF16 rounds to nearest even: every decision point") {
  MpfrOracle oracle(tern::tb::kOracleBf16);
  std::vector<std::uint32_t> inputs;
  for (std::uint32_t high = 0; high < 0x8000; ++high) {
    for (std::uint32_t low : {0x0000u, 0x0001u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu}) {
      inputs.push_back((high << 16) | low);
    }
  }
  CHECK(count_wrong(oracle, bf16_bits_as_fp32, inputs) == 0);
}

// Every FP16 value and every midpoint of neighbours, with its FP32 neighbours: conversion is
// monotonic, so these decide all others.
TEST_CASE("FP32 to FP16 rounds to nearest even: every decision point") {
  MpfrOracle oracle(tern::tb::kOracleFp16);
  std::vector<std::uint32_t> inputs;
  for (std::uint32_t half = 0; half < 0x7C00; ++half) {
    const double value = decode(static_cast<std::uint16_t>(half), 5, 10);
    const double next =
        half == 0x7BFF ? 65536.0 : decode(static_cast<std::uint16_t>(half + 1), 5, 10);
    for (double point : {value, (value + next) / 2}) {
      const std::uint32_t bits = bits_of(static_cast<float>(point));
      if (bits != 0) inputs.push_back(bits - 1);
      inputs.push_back(bits);
      inputs.push_back(bits + 1);
    }
  }
  for (std::uint32_t bits : tern::tb::fp32_corners()) inputs.push_back(bits & 0x7FFFFFFF);
  CHECK(count_wrong(oracle, fp16_bits_as_fp32, inputs) == 0);
}

TEST_CASE("FP32 to BF16 and FP16: random bit patterns") {
  std::mt19937_64 random(tern::tb::test_seed());
  std::vector<std::uint32_t> inputs(200000);
  for (std::uint32_t& bits : inputs) bits = static_cast<std::uint32_t>(random()) & 0x7FFFFFFF;
  {
    MpfrOracle oracle(tern::tb::kOracleBf16);
    CHECK(count_wrong(oracle, bf16_bits_as_fp32, inputs) == 0);
  }
  // Exponents around FP16's own range.
  for (std::uint32_t& bits : inputs) bits = (bits & 0x7FFFFF) | ((100 + bits % 45) << 23);
  MpfrOracle oracle(tern::tb::kOracleFp16);
  CHECK(count_wrong(oracle, fp16_bits_as_fp32, inputs) == 0);
}

TEST_CASE("NaN and overflow of narrowing") {
  CHECK(bf16_from_float(float_of(0x7F800001)) == kBf16Nan);
  CHECK(bf16_from_float(float_of(0xFFFFFFFF)) == kBf16Nan);
  CHECK(bf16_from_float(float_of(0x7F7F7FFF)) == 0x7F7F);
  CHECK(bf16_from_float(float_of(0x7F7F8000)) == 0x7F80);
  CHECK(bf16_from_float(float_of(0xFF7FFFFF)) == 0xFF80);
  CHECK(fp16_from_float(float_of(0xFF800001)) == kFp16Nan);
  CHECK(fp16_from_float(65519.996f) == 0x7BFF);
  CHECK(fp16_from_float(65520.0f) == 0x7C00);
  CHECK(fp16_from_float(-1e30f) == 0xFC00);
  CHECK(fp16_from_float(std::ldexp(1.0f, -25)) == 0x0000);
  CHECK(fp16_from_float(-std::ldexp(1.5f, -25)) == 0x8001);
}

TEST_CASE("FP32 to integers: nearest even, saturating, NaN to 0") {
  CHECK(int32_from_float(0.5f) == 0);
  CHECK(int32_from_float(1.5f) == 2);
  CHECK(int32_from_float(-2.5f) == -2);
  CHECK(int32_from_float(-3.5f) == -4);
  CHECK(int32_from_float(2147483520.0f) == 2147483520);
  CHECK(int32_from_float(2147483648.0f) == INT32_MAX);
  CHECK(int32_from_float(-2147483648.0f) == INT32_MIN);
  CHECK(int32_from_float(-1e20f) == INT32_MIN);
  CHECK(int32_from_float(INFINITY) == INT32_MAX);
  CHECK(int32_from_float(float_of(0xFFC00001)) == 0);
  CHECK(uint32_from_float(-0.5f) == 0);
  CHECK(uint32_from_float(-7.0f) == 0);
  CHECK(uint32_from_float(2.5f) == 2);
  CHECK(uint32_from_float(4294967040.0f) == 4294967040u);
  CHECK(uint32_from_float(4294967296.0f) == UINT32_MAX);
  CHECK(uint32_from_float(float_of(0x7F800001)) == 0);
  CHECK(uint8_from_float(254.5f) == 254);
  CHECK(uint8_from_float(255.5f) == 255);
  CHECK(uint8_from_float(1e9f) == 255);
  CHECK(uint8_from_float(-1.0f) == 0);
  CHECK(uint8_from_float(float_of(0x7FC00000)) == 0);
  CHECK(uint8_from_float(-INFINITY) == 0);
  CHECK(int8_from_float(-128.5f) == -128);
  CHECK(int8_from_float(-INFINITY) == -128);
  CHECK(int8_from_float(float_of(0xFFC00000)) == 0);
  CHECK(int16_from_float(32767.5f) == 32767);
  CHECK(int16_from_float(-2.5f) == -2);
  CHECK(uint16_from_float(65534.5f) == 65534);
  CHECK(uint16_from_float(-0.5f) == 0);
  CHECK(uint16_from_float(float_of(0x7FC00000)) == 0);
}

TEST_CASE("FP32 to integers: random values against exact integers") {
  std::mt19937_64 random(tern::tb::test_seed());
  const auto nearest = [](double value, double low, double high) {
    double floor = std::floor(value);
    const double rest = value - floor;
    if (rest > 0.5 || (rest == 0.5 && std::fmod(floor, 2.0) != 0)) floor += 1;
    return std::min(std::max(floor, low), high);
  };
  std::size_t wrong = 0;
  for (int i = 0; i < 300000; ++i) {
    // Exponents from 2^-2 to 2^34; a quarter of them exact ties.
    std::uint32_t bits = (static_cast<std::uint32_t>(random()) & 0x807FFFFF) |
                         (static_cast<std::uint32_t>(125 + random() % 37) << 23);
    float value = float_of(bits);
    if (i % 4 == 0) value = std::floor(value / 65536) + 0.5f;
    wrong += int32_from_float(value) != nearest(value, INT32_MIN, INT32_MAX);
    wrong += uint32_from_float(value) != nearest(value, 0, UINT32_MAX);
    wrong += uint8_from_float(value) != nearest(value, 0, 255);
    wrong += int8_from_float(value) != nearest(value, -128, 127);
    wrong += int16_from_float(value) != nearest(value, -32768, 32767);
    wrong += uint16_from_float(value) != nearest(value, 0, 65535);
  }
  CHECK(wrong == 0);
}

TEST_CASE("Integers to FP32 round to nearest even") {
  MpfrOracle oracle;
  std::mt19937_64 random(tern::tb::test_seed());
  std::vector<std::uint32_t> inputs = {0,          1,          0x00FFFFFF, 0x01000000, 0x01000001,
                                       0x01000003, 0x7FFFFFFF, 0x7FFFFFBF, 0x7FFFFFC0, 0x80000000,
                                       0x80000001, 0xFFFFFF7F, 0xFFFFFF80, 0xFFFFFFFF};
  for (int i = 0; i < 100000; ++i) inputs.push_back(static_cast<std::uint32_t>(random()));
  std::size_t wrong = 0;
  for (std::uint32_t value : inputs) {
    wrong += bits_of(float_from_uint32(value)) != oracle.from_int(value);
    const auto as_signed = static_cast<std::int32_t>(value);
    wrong += bits_of(float_from_int32(as_signed)) != oracle.from_int(as_signed);
  }
  CHECK(wrong == 0);
}

TEST_CASE("Arrays convert like single elements, at any alignment") {
  std::mt19937_64 random(tern::tb::test_seed());
  constexpr std::size_t kCount = 1003;
  std::vector<float> values(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    values[i] = i % 3 == 0 ? float_of(static_cast<std::uint32_t>(random()))
                           : static_cast<float>(static_cast<int>(random() % 1000) - 300) / 4;
  }
  for (DType type : kComputeDTypes) {
    CAPTURE(std::string(dtype_name(type)));
    const std::size_t size = dtype_size(type);
    std::vector<unsigned char> packed(kCount * size + 1), single(8);
    narrow(type, values.data(), packed.data() + 1, kCount);
    std::vector<float> wide(kCount);
    widen(type, packed.data() + 1, wide.data(), kCount);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      narrow_element(type, values[i], single.data());
      wrong += std::memcmp(single.data(), packed.data() + 1 + i * size, size) != 0;
      wrong += bits_of(widen_element(type, single.data())) != bits_of(wide[i]);
    }
    CHECK(wrong == 0);
  }
  float unused = 0;
  CHECK_THROWS_AS(widen(static_cast<DType>(12), &unused, &unused, 1), std::invalid_argument);
  CHECK_THROWS_AS(narrow(static_cast<DType>(12), &unused, &unused, 1), std::invalid_argument);
  for (DType type : kAllDTypes) {
    if (is_compute_dtype(type)) continue;
    CHECK_THROWS_AS(widen(type, &unused, &unused, 1), std::invalid_argument);
    CHECK_THROWS_AS(narrow(type, &unused, &unused, 1), std::invalid_argument);
  }
}

TEST_CASE("FP8 in memory overflows to infinity, E4M3FN to NaN") {
  const auto code = [](DType type, float value) {
    std::uint8_t stored = 0;
    narrow_element(type, value, &stored);
    return static_cast<unsigned>(stored);
  };
  CHECK(code(DType::kE4m3, 240.0f) == 0x77);
  CHECK(code(DType::kE4m3, 250.0f) == 0x78);
  CHECK(code(DType::kE4m3, -1e9f) == 0xF8);
  CHECK(code(DType::kE5m2, 57344.0f) == 0x7B);
  CHECK(code(DType::kE5m2, INFINITY) == 0x7C);
  CHECK(code(DType::kE4m3Fn, 448.0f) == 0x7E);
  CHECK(code(DType::kE4m3Fn, 500.0f) == 0x7F);
  CHECK(code(DType::kE4m3Fn, -1.5f) == 0xBC);
  CHECK(code(DType::kE4m3, float_of(0xFFC00001)) == 0x7C);
  for (DType type : {DType::kE4m3, DType::kE5m2, DType::kE4m3Fn}) {
    for (unsigned byte = 0; byte < 256; ++byte) {
      const auto element = static_cast<std::uint8_t>(byte);
      const float value = widen_element(type, &element);
      if (!std::isnan(value)) CHECK(code(type, value) == byte);
    }
  }
}

TEST_CASE("FP32 stored to memory has the canonical NaN only") {
  std::uint32_t stored = 0;
  narrow_element(DType::kFp32, float_of(0xFFC12345), &stored);
  CHECK(stored == kCanonicalNan);
  narrow_element(DType::kFp32, float_of(0x80000001), &stored);
  CHECK(stored == 0x80000001);
}

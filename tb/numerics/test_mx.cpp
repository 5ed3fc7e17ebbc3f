// SPDX-License-Identifier: Apache-2.0
// Block formats. The reference is docs/numerics.md, section 5, in double: scaling by powers of two
// is exact there, and a rounding to a format is the nearest of all its values.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "sw/numerics/fp16.h"
#include "sw/numerics/mx.h"
#include "tb/common/seed.h"
#include "tb/numerics/mpfr_oracle.h"
#include "tb/numerics/mx_oracle.h"

using namespace tern::numerics;  // NOLINT: a test uses the names of what it tests
using namespace tern::tb;        // NOLINT

namespace {

struct Formats {
  const SmallFormat& tested;
  const MxFormat& oracle;
};
const Formats kFormats[] = {{kE4m3Fn, kMxE4m3Fn}, {kE5m2, kMxE5m2}, {kE2m1, kMxE2m1}};

std::size_t count_wrong(const std::vector<float>& block) {
  std::size_t wrong = 0;
  for (const Formats& format : kFormats) {
    for (const bool ocp : {false, true}) {
      std::vector<std::uint8_t> codes(block.size());
      const std::uint8_t scale = mx_quantize(format.tested, ocp ? MxRule::kOcp : MxRule::kAws,
                                             block.data(), block.size(), codes.data());
      const MxBlock expected = mx_reference(format.oracle, ocp, {block.begin(), block.end()});
      wrong += scale != expected.scale || codes != expected.codes;
    }
  }
  return wrong;
}

std::vector<float> block_of(std::initializer_list<float> head) {
  std::vector<float> block(kMxBlockElements, 0.0f);
  std::copy(head.begin(), head.end(), block.begin());
  return block;
}

}  // namespace

TEST_CASE("MX: scale of known blocks") {
  const auto scale = [](const SmallFormat& format, MxRule rule, float amax) {
    const auto block = block_of({0.25f * amax, -amax});
    return static_cast<int>(mx_scale(format, rule, block.data(), block.size())) - 127;
  };
  CHECK(scale(kE4m3Fn, MxRule::kAws, 1.0f) == -7);
  CHECK(scale(kE4m3Fn, MxRule::kOcp, 1.0f) == -8);
  CHECK(scale(kE5m2, MxRule::kAws, 1.99f) == -14);
  CHECK(scale(kE5m2, MxRule::kOcp, 2.0f) == -14);
  CHECK(scale(kE2m1, MxRule::kOcp, 6.0f) == 0);
  CHECK(scale(kE2m1, MxRule::kAws, 6.0f) == 1);
  CHECK(scale(kE4m3Fn, MxRule::kOcp, 3e38f) == 119);
  CHECK(scale(kE4m3Fn, MxRule::kAws, 1e-40f) == -127);
}

TEST_CASE("MX: zeros, infinities, NaN and saturation") {
  std::vector<std::uint8_t> codes(kMxBlockElements);
  const auto zeros = block_of({0.0f, -0.0f});
  CHECK(mx_quantize(kE4m3Fn, MxRule::kAws, zeros.data(), 32, codes.data()) == 0);
  CHECK(codes[0] == 0x00);
  CHECK(codes[1] == 0x80);
  for (const float special : {INFINITY, -INFINITY, std::nanf(""), -std::nanf("")}) {
    const auto block = block_of({1.0f, -2.0f, special});
    CHECK(mx_quantize(kE5m2, MxRule::kOcp, block.data(), 32, codes.data()) == 0xFF);
    CHECK(codes[0] == 0x00);
    CHECK(codes[1] == 0x80);
    CHECK(codes[2] == (std::signbit(special) ? 0x80 : 0x00));
    CHECK(count_wrong(block) == 0);
  }
  // 511 needs the scale 1 under ocp and saturates; under aws there is room.
  const auto high = block_of({511.0f, -460.0f, 464.0f, 448.0f});
  CHECK(mx_quantize(kE4m3Fn, MxRule::kOcp, high.data(), 32, codes.data()) == 127);
  CHECK(codes[0] == 0x7E);
  CHECK(codes[1] == 0xFE);
  CHECK(mx_quantize(kE4m3Fn, MxRule::kAws, high.data(), 32, codes.data()) == 128);
  CHECK(e4m3fn_to_float(codes[0]) == 256.0f);
  CHECK(count_wrong(high) == 0);
}

TEST_CASE("MX: ties and gradual underflow of the elements") {
  for (const float amax : {1.0f, 1.75f, 1e-38f, 1e-44f, 3e38f}) {
    for (int exponent = -40; exponent <= 0; ++exponent) {
      std::vector<float> block = block_of({amax});
      for (std::size_t i = 1; i < block.size(); ++i) {
        const double eighths = static_cast<double>(i);
        block[i] = static_cast<float>(std::ldexp(amax * eighths / 16, exponent));
        if (i % 2 == 0) block[i] = -block[i];
      }
      CHECK(count_wrong(block) == 0);
    }
  }
}

TEST_CASE("MX: every BF16 and FP16 value with partners of every kind") {
  std::size_t wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float bf16 = float_of(bits << 16), fp16 = fp16_to_float(half);
    for (const float x : {bf16, fp16}) {
      // Alone, and some binades below the largest element.
      wrong += count_wrong({x, 0.0f});
      if (bits % 7 == 0) wrong += count_wrong({x, x * 300, -x * 70000});
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("MX: random blocks") {
  std::mt19937_64 random(test_seed());
  std::size_t wrong = 0;
  for (int round = 0; round < 3000; ++round) {
    const unsigned center = 1 + static_cast<unsigned>(random() % 254);
    const unsigned spread = 1 + static_cast<unsigned>(random() % 30);
    std::vector<float> block(kMxBlockElements);
    for (float& value : block) {
      const unsigned field = std::max(0, static_cast<int>(center - random() % spread));
      value = float_of((static_cast<std::uint32_t>(random()) & 0x807FFFFF) | field << 23);
    }
    wrong += count_wrong(block);
  }
  CHECK(wrong == 0);
}

TEST_CASE("MX: dequantise every element with every scale") {
  MpfrOracle fp32;
  MpfrOracle bf16(kOracleBf16);
  std::size_t wrong = 0;
  for (const Formats& format : kFormats) {
    for (unsigned code = 0; code < 2 * format.tested.sign; ++code) {
      const float element = float_of(decode_bits(format.tested, code));
      for (unsigned scale = 0; scale < 256; ++scale) {
        const double product =
            scale == 255 ? std::nan("") : std::ldexp(element, static_cast<int>(scale) - 127);
        // The product is an FP32 value or beyond FP32: no rounding hides in this conversion.
        const float exact = static_cast<float>(product);
        const std::uint32_t expected = std::isnan(product) ? kCanonicalNan : bits_of(exact);
        wrong += std::isfinite(exact) && static_cast<double>(exact) != product;
        const auto byte = static_cast<std::uint8_t>(scale);
        wrong += bits_of(mx_dequantize(element, byte)) != expected;
        const std::uint32_t narrow = std::isfinite(exact) ? bf16.round(exact) : expected;
        wrong += static_cast<std::uint32_t>(mx_dequantize_bf16(element, byte)) << 16 != narrow;
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("MX: expanding FP4 keeps every value") {
  std::size_t wrong = 0;
  for (unsigned word = 0; word < 0x10000; ++word) {
    const std::uint32_t bytes = mx_expand(static_cast<std::uint16_t>(word));
    for (unsigned slot = 0; slot < 4; ++slot) {
      const double value = kMxE2m1.decode(word >> (4 * slot) & 15);
      const double expanded = kMxE4m3Fn.decode(bytes >> (8 * slot) & 255);
      wrong += value != expanded || std::signbit(value) != std::signbit(expanded);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("NVFP4 storage: one rounding to BF16") {
  std::mt19937_64 random(test_seed());
  MpfrOracle oracle(kOracleBf16);
  std::vector<float> factors = {1.0f, -1.0f, 0.0f, -0.0f, 1e-38f, 3e38f, INFINITY, std::nanf("")};
  for (std::uint32_t bits : fp32_corners()) factors.push_back(float_of(bits));
  for (int i = 0; i < 200; ++i) factors.push_back(float_of(static_cast<std::uint32_t>(random())));
  std::size_t wrong = 0;
  for (const float factor : factors) {
    for (unsigned element = 0; element < 16; ++element) {
      for (unsigned scale = 0; scale < 256; ++scale) {
        const double product =
            kMxE2m1.decode(element) * kMxE4m3Fn.decode(scale) * static_cast<double>(factor);
        const std::uint32_t expected = bf16_of_double(product);
        const std::uint16_t result = nvfp4_dequantize(static_cast<std::uint8_t>(element),
                                                      static_cast<std::uint8_t>(scale), factor);
        wrong += result != expected;
      }
    }
  }
  CHECK(wrong == 0);
}

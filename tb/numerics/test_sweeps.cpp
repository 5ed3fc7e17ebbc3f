// SPDX-License-Identifier: Apache-2.0
// Sweeps that take seconds: every input of a function.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <random>
#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "sw/numerics/alu.h"
#include "sw/numerics/bf16.h"
#include "sw/numerics/exp.h"
#include "sw/numerics/fp16.h"
#include "tb/common/seed.h"
#include "tb/numerics/exp_error.h"

using namespace tern::numerics;  // NOLINT: a test uses the names of what it tests

TEST_CASE("exp: every FP32 input with a result between 0 and infinity") {
  double worst = 0;
  std::uint64_t inputs = 0, wrongly_rounded = 0, backwards = 0;
  for (const std::uint32_t sign : {0u, 0x80000000u}) {
    float previous = 1.0f;
    const std::uint32_t end = sign != 0 ? 0x42CFF1B4 : 0x42B17217;
    for (std::uint32_t magnitude = 0x32000000; magnitude <= end; ++magnitude) {
      const float d = float_of(magnitude | sign);
      const float y = exp(d);
      backwards += sign != 0 ? y > previous : y < previous;
      previous = y;
      // The C library's double result is within 2^-29 ulp of FP32: close enough to measure with.
      const double exact = std::exp(static_cast<double>(d));
      wrongly_rounded += y != static_cast<float>(exact);
      const int exponent = std::max(std::ilogb(exact) - 23, -149);
      worst = std::max(worst, std::fabs(y - exact) * std::ldexp(1.0, -exponent));
      ++inputs;
    }
  }
  std::printf("exp: %llu inputs, worst %.4f ulp, %.2f %% not correctly rounded\n",
              static_cast<unsigned long long>(inputs), worst,
              100.0 * static_cast<double>(wrongly_rounded) / static_cast<double>(inputs));
  CHECK(worst <= 0.81);
  CHECK(backwards == 0);
}

// Multiplying the input by 4 halves the result, so two powers of two stand for all inputs but those
// with a subnormal significand, which are such numbers too.
TEST_CASE("rsqrt: every significand with every parity of the exponent is correctly rounded") {
  std::uint64_t wrong = 0;
  for (std::uint32_t bits = 0x3F800000; bits < 0x40800000; ++bits) {
    const float a = float_of(bits), y = rsqrt(a);
    // 0.5 <= y <= 1 has an ulp of 2^-24, half of it 2 units of 2^-26 (below 0.5 only 1): squares of
    // such midpoints times a are exact in 128 bits, in units of 2^-75.
    const auto scaled = static_cast<unsigned __int128>(std::ldexp(a, 23));
    const auto y_scaled = static_cast<std::uint64_t>(std::ldexp(y, 26));
    const auto square_times_a = [scaled](std::uint64_t m) { return m * scaled * m; };
    const unsigned __int128 one = static_cast<unsigned __int128>(1) << 75;
    const bool above = square_times_a(y_scaled + 2) >= one;
    const bool below = square_times_a(y_scaled - (y == 0.5f ? 1 : 2)) <= one;
    wrong += above && below ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("exp: the significand is monotonic and below 2 over all fractions") {
  std::uint32_t previous = 1u << 28;
  std::uint64_t backwards = 0;
  for (std::uint32_t fraction = 0; fraction < 1u << 28; ++fraction) {
    const std::uint32_t y = exp_significand(fraction);
    backwards += y < previous;
    previous = y;
  }
  CHECK(backwards == 0);
  CHECK(previous < 1u << 29);
}

TEST_CASE("exp: three million FP32 inputs against MPFR") {
  std::mt19937_64 random(tern::tb::test_seed());
  tern::tb::ExpError error;
  for (int i = 0; i < 3000000; ++i) {
    const auto sign = static_cast<std::uint32_t>(random() & 0x80000000);
    const std::uint32_t end = sign != 0 ? 0x42CFF1B4 : 0x42B17217;
    const auto magnitude = static_cast<std::uint32_t>(0x32000000 + random() % (end - 0x32000000));
    const float d = float_of(magnitude | sign);
    error.add(d, exp(d));
  }
  std::printf("exp: worst of the sample %.4f ulp\n", error.worst());
  CHECK(error.worst() <= 0.81);
}

#if defined(__F16C__)
TEST_CASE("FP32 to FP16: every FP32 value against the host's conversion instruction") {
  std::uint64_t wrong = 0;
  for (std::uint64_t block = 0; block < std::uint64_t{1} << 32; block += 8) {
    alignas(32) std::uint32_t bits[8];
    for (unsigned i = 0; i < 8; ++i) bits[i] = static_cast<std::uint32_t>(block) + i;
    alignas(16) std::uint16_t host[8];
    const __m256 values =
        _mm256_castsi256_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(bits)));
    _mm_store_si128(reinterpret_cast<__m128i*>(host),
                    _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT));
    for (unsigned i = 0; i < 8; ++i) {
      const std::uint16_t expected = (host[i] & 0x7FFF) > 0x7C00 ? kFp16Nan : host[i];
      wrong += fp16_from_float(float_of(bits[i])) != expected;
    }
  }
  CHECK(wrong == 0);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// The reference itself, against values computed by hand from docs/numerics.md.
#include <catch2/catch.hpp>
#include <cmath>

#include "tb/common/seed.h"
#include "tb/tensor/top/bench/operands.h"
#include "tb/tensor/top/oracle/exact_fma.h"
#include "tb/tensor/top/oracle/reference_block.h"
#include "tb/tensor/top/oracle/reference_product.h"
#include "tb/tensor/top/oracle/reference_psum.h"

namespace tern::tb {
namespace {

using Type = TensorType;

double value(Type type, unsigned bits) {
  const Fixed x = fixed_of(type, bits);
  if (x.kind == Fixed::kNan) return NAN;
  if (x.kind == Fixed::kInfinity) return x.value < 0 ? -INFINITY : INFINITY;
  return std::ldexp(static_cast<double>(x.value), -16);
}

}  // namespace

TEST_CASE("reference: elements of FP8 and FP4") {
  CHECK(value(Type::kE4m3fn, 0x7E) == 448);
  CHECK(value(Type::kE4m3fnX4, 0xFE) == -448);
  CHECK(value(Type::kE4m3fn, 0x78) == 256);
  CHECK(std::isnan(value(Type::kE4m3fn, 0xFF)));
  CHECK(value(Type::kE4m3fn, 0x01) == std::ldexp(1, -9));
  CHECK(value(Type::kE4m3fn, 0x08) == std::ldexp(1, -6));
  CHECK(value(Type::kE4m3, 0x77) == 240);
  CHECK(value(Type::kE4m3, 0xF8) == -INFINITY);
  CHECK(std::isnan(value(Type::kE4m3, 0x79)));
  CHECK(value(Type::kE5m2, 0x7B) == 57344);
  CHECK(value(Type::kE5m2X4, 0x01) == std::ldexp(1, -16));
  CHECK(value(Type::kE5m2, 0x3D) == 1.25);
  CHECK(value(Type::kE5m2, 0x7C) == INFINITY);
  CHECK(std::isnan(value(Type::kE5m2, 0xFD)));
  const double fp4[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (unsigned i = 0; i < 8; ++i) {
    CHECK(value(Type::kE2m1X4, i) == fp4[i]);
    CHECK(value(Type::kE2m1X4, i + 8) == -fp4[i]);
  }
  CHECK(fixed_of_slot(Type::kE5m2X4, 0x01020304, 3).value == 1);
  CHECK(fixed_of_slot(Type::kE2m1X4, 0x4321, 3).value == 2 << 16);
}

TEST_CASE("reference: halves of an FP32 word add up to it, TF32 is its upper part") {
  Random random(test_seed());
  for (int i = 0; i < 100000; ++i) {
    const std::uint32_t word = random_binary32(random);
    const float x = float_of(word);
    const float high = decode(Type::kFp32, word, true), low = decode(Type::kFp32, word, false);
    if (!std::isfinite(x)) {
      REQUIRE((std::isnan(high) && std::isnan(low)));
      continue;
    }
    REQUIRE(high + low == x);
    REQUIRE(std::abs(low) <= std::abs(high) * 0x1p-11f + 0x1p-137f);
    REQUIRE(std::signbit(high) == std::signbit(x));
    REQUIRE(std::signbit(low) == std::signbit(x));
    const float tf32 = decode(Type::kTf32, word);
    REQUIRE(std::abs(tf32) <= std::abs(x));
    REQUIRE(bits_of(tf32) == (word & 0xFFFFE000));
  }
}

TEST_CASE("reference: block sums and scales") {
  const Fixed largest = fixed_of(Type::kE5m2, 0x7B), smallest = fixed_of(Type::kE5m2, 0x01);
  const Fixed infinity = fixed_of(Type::kE5m2, 0x7C), zero = fixed_of(Type::kE5m2, 0x80);
  const Fixed minus = fixed_of(Type::kE5m2, 0xFB), minus_infinity = fixed_of(Type::kE5m2, 0xFC);
  BlockSum sum;
  sum.add(largest, largest);
  sum.add(largest, minus);
  CHECK(bits_of(sum.scaled(127, 127)) == 0);
  sum.add(smallest, smallest);
  CHECK(sum.scaled(127, 127) == 0x1p-32f);
  CHECK(sum.scaled(0, 127) == 0.0f);
  CHECK(sum.scaled(127, 10) == 0x1p-149f);
  CHECK(sum.scaled(127, 9) == 0.0f);  // a tie of nothing and the smallest: to even
  CHECK(sum.scaled(254, 254) == INFINITY);
  CHECK(std::isnan(sum.scaled(255, 0)));
  BlockSum special = sum;
  special.add(infinity, largest);
  CHECK(special.scaled(0, 0) == INFINITY);
  BlockSum both = special;
  both.add(minus_infinity, largest);
  CHECK(std::isnan(both.scaled(127, 127)));
  special.add(infinity, zero);
  CHECK(std::isnan(special.scaled(127, 127)));
  BlockSum negative;
  negative.add(minus, infinity);
  CHECK(negative.scaled(127, 127) == -INFINITY);
  // 2^24 + 1 + 2^-32: above the tie of 2^24 and 2^24 + 2.
  const __int128 one = static_cast<__int128>(1) << 32;
  CHECK(exact_scaled((one << 24) + one + 1, -32) == 16777218.0f);
  CHECK(exact_scaled((one << 24) + one, -32) == 16777216.0f);
  CHECK(exact_scaled(-((one << 24) + 3 * one), -32) == -16777220.0f);
}

TEST_CASE("reference: BF16 rounding and the random generator") {
  CHECK(round_bf16(0x3F808000) == 0x3F80);
  CHECK(round_bf16(0x3F818000) == 0x3F82);
  CHECK(round_bf16(0x3F808001) == 0x3F81);
  CHECK(round_bf16(0x7F7F8000) == 0x7F80);
  CHECK(round_bf16(0xFF800001) == 0x7FC0);
  CHECK(round_bf16(0x80008000) == 0x8000);
  CHECK(round_bf16_stochastic(0x3F800000, 0xFFFFFFFF) == 0x3F80);
  CHECK(round_bf16_stochastic(0x3F800001, 0xFFFFFFFF) == 0x3F81);
  CHECK(round_bf16_stochastic(0x3F800001, 0xFFFEFFFF) == 0x3F80);
  CHECK(round_bf16_stochastic(0x7F7FFFFF, 0xFFFF0000) == 0x7F80);
  CHECK(round_bf16_stochastic(0xFF800000, 0xFFFF0000) == 0xFF80);
  CHECK(round_bf16_stochastic(0xFF812345, 0) == 0x7FC0);
  // G. Marsaglia, Xorshift RNGs, 2003, with the seeds of the paper.
  Xorwow generator(0);
  const std::uint32_t seeds[] = {123456789, 362436069, 521288629, 88675123, 5783321, 6615241};
  for (unsigned i = 0; i < 6; ++i) generator.word(i) = seeds[i];
  for (const std::uint32_t draw : {246875399u, 3690007200u, 1264581005u, 3906711041u, 1866187943u})
    CHECK(generator.draw() == draw);
  // The mixing function of MurmurHash3: mix(1).
  CHECK(Xorwow(0).word(0) == 0x514E28B7);
}

}  // namespace tern::tb

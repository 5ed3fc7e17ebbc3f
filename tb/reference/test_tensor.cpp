// SPDX-License-Identifier: Apache-2.0
// The reference's tensor products: cases computed by hand from docs/numerics.md, formats against
// their definition, block sums against 128-bit integers.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "sw/reference/formats.h"
#include "sw/reference/quantize.h"
#include "sw/reference/reference.h"
#include "tb/common/seed.h"

using namespace tern::reference;

namespace {

std::uint32_t bits_of(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

// One block of 32: column a and column b of codes, with scales.
float block(SmallFormat format, const std::vector<std::uint8_t>& a,
            const std::vector<std::uint8_t>& b, std::uint8_t scale_a = 127,
            std::uint8_t scale_b = 127) {
  std::vector<std::uint8_t> codes_a(32), codes_b(32);
  std::copy(a.begin(), a.end(), codes_a.begin());
  std::copy(b.begin(), b.end(), codes_b.begin());
  BlockOrder order;
  order.slabs.emplace_back();
  order.slabs[0].emplace_back();
  for (std::size_t k = 0; k < 32; ++k) order.slabs[0][0].k.push_back(k);
  return matmul_blocks({format, 1, codes_a, {scale_a}}, {format, 1, codes_b, {scale_b}}, order,
                       Psum::kFp32)[0];
}

}  // namespace

TEST_CASE("reference: values of the small formats") {
  using F = SmallFormat;
  CHECK(small_value(F::kE4m3fn, 0x7E) == 448);
  CHECK(std::isnan(small_value(F::kE4m3fn, 0xFF)));
  CHECK(small_value(F::kE4m3fn, 0x01) == std::ldexp(1.0, -9));
  CHECK(small_value(F::kE4m3, 0x77) == 240);
  CHECK(small_value(F::kE4m3, 0xF8) == -INFINITY);
  CHECK(small_value(F::kE5m2, 0x7B) == 57344);
  CHECK(small_value(F::kE5m2, 0x01) == std::ldexp(1.0, -16));
  const double fp4[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (unsigned code = 0; code < 8; ++code) {
    CHECK(small_value(F::kE2m1, static_cast<std::uint8_t>(code)) == fp4[code]);
    CHECK(small_value(F::kE2m1, static_cast<std::uint8_t>(code | 8)) == -fp4[code]);
  }
}

TEST_CASE(
    "reference: every code is the nearest of its value, ties go to even, the rest saturates") {
  using F = SmallFormat;
  struct Format {
    F format;
    unsigned codes;
    double largest;
  };
  for (const Format& f : {Format{F::kE4m3fn, 128, 448}, Format{F::kE4m3, 128, 240},
                          Format{F::kE5m2, 128, 57344}, Format{F::kE2m1, 8, 6}}) {
    for (unsigned code = 0; code < f.codes; ++code) {
      const auto low = static_cast<std::uint8_t>(code), high = static_cast<std::uint8_t>(code + 1);
      const double value = small_value(f.format, low);
      if (!std::isfinite(value)) continue;
      CHECK(small_code(f.format, value) == low);
      if (value == f.largest) continue;
      const double next = small_value(f.format, high), middle = (value + next) / 2;
      CHECK(small_code(f.format, middle) == (code % 2 == 0 ? low : high));
      CHECK(small_code(f.format, std::nextafter(middle, 0)) == low);
      CHECK(small_code(f.format, std::nextafter(middle, 1e9)) == high);
    }
    CHECK(small_value(f.format, small_code(f.format, 1e30)) == f.largest);
    CHECK(small_value(f.format, small_code(f.format, -INFINITY)) == -f.largest);
  }
}

TEST_CASE("reference: an exact block sum rounds once") {
  const std::uint8_t big = 0x7B, one = 0x3C, tiny = 0x01;  // E5M2: 57344, 1, 2^-16
  CHECK(block(SmallFormat::kE5m2, {big, tiny}, {big, tiny}) == 57344.0f * 57344.0f);
  // Half a unit in the last place of 2^24, then the smallest product beyond it, 40 bits further
  // down.
  const std::uint8_t p12 = 0x6C;  // 4096
  CHECK(block(SmallFormat::kE5m2, {p12, one}, {p12, one}) == 16777216.0f);
  CHECK(block(SmallFormat::kE5m2, {p12, one, tiny}, {p12, one, tiny}) == 16777218.0f);
  CHECK(block(SmallFormat::kE5m2, {p12, one, tiny}, {p12, one, 0x81}) == 16777216.0f);
  // Opposite sums leave +0; the sign of a small rest survives.
  CHECK(bits_of(block(SmallFormat::kE5m2, {big, big}, {big, 0xFB})) == 0);
  CHECK(block(SmallFormat::kE5m2, {big, big, tiny}, {big, 0xFB, 0x81}) == -std::ldexp(1.0f, -32));
}

TEST_CASE("reference: scales, their ends and NaN") {
  const std::uint8_t one = 0x38;  // E4M3FN
  CHECK(block(SmallFormat::kE4m3fn, {one}, {one}, 130, 125) == 2.0f);
  CHECK(block(SmallFormat::kE4m3fn, {one}, {one}, 254, 254) == INFINITY);
  CHECK(block(SmallFormat::kE4m3fn, {one}, {one}, 0, 105) == std::ldexp(1.0f, -149));
  CHECK(block(SmallFormat::kE4m3fn, {one}, {one}, 0, 104) == 0.0f);  // a tie, to even
  CHECK(bits_of(block(SmallFormat::kE4m3fn, {one}, {one}, 255, 127)) == 0x7FC00000);
  CHECK(bits_of(block(SmallFormat::kE4m3fn, {one, 0xFF}, {one, 0})) == 0x7FC00000);
  const std::uint8_t infinity = 0x7C;
  CHECK(block(SmallFormat::kE5m2, {infinity, 0x3C}, {0xBC, 0x3C}) == -INFINITY);
  CHECK(std::isnan(block(SmallFormat::kE5m2, {infinity}, {0x00})));
  CHECK(std::isnan(block(SmallFormat::kE5m2, {infinity, infinity}, {0x3C, 0xBC})));
}

TEST_CASE("reference: random E5M2 blocks against 128-bit integers") {
  __extension__ typedef __int128 Wide;
  std::mt19937_64 random(tern::tb::test_seed());
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint8_t> a(32), b(32);
    Wide sum = 0;
    for (int i = 0; i < 32; ++i) {
      const auto draw = [&] {
        std::uint8_t code = 0x7C;
        while ((code & 0x7F) > 0x7B) code = static_cast<std::uint8_t>(random());
        return code;
      };
      a[i] = draw();
      b[i] = draw();
      const auto units = [](std::uint8_t code) {
        return static_cast<Wide>(std::ldexp(small_value(SmallFormat::kE5m2, code), 16));
      };
      sum += units(a[i]) * units(b[i]);
    }
    // The compiler's own conversion rounds once, to nearest even.
    const float expected = std::ldexp(static_cast<float>(sum), -32);
    CHECK(bits_of(block(SmallFormat::kE5m2, a, b)) == bits_of(expected));
  }
}

TEST_CASE("reference: halves of FP32, cut TF32") {
  CHECK(to_tf32(1.0f + std::ldexp(1.0f, -10) + std::ldexp(1.0f, -11)) ==
        1.0f + std::ldexp(1.0f, -10));
  // (1 + 2^-23)^2 needs all four passes: 1 + 2^-22 is its FP32 value.
  const float x = 1.0f + std::ldexp(1.0f, -23);
  CHECK(matmul_fp32({x}, {x}, 1, 1, 1, Psum::kFp32)[0] == 1.0f + std::ldexp(1.0f, -22));
  CHECK(std::isnan(matmul_fp32({INFINITY}, {1.0f}, 1, 1, 1, Psum::kFp32)[0]));
  CHECK(matmul_dense({INFINITY}, {1.0f}, 1, 1, 1, Psum::kFp32)[0] == INFINITY);
}

TEST_CASE("reference: sparse products leave out what is not kept, even against NaN") {
  // 1 of 2: row 1 of the group is kept; the moving element of row 0 is NaN.
  CHECK(matmul_sparse({1, 2, 1, {3.0f}, {1}}, {NAN, 5.0f}, 2, 1, Psum::kFp32)[0] == 15.0f);
  CHECK(std::isnan(matmul_sparse({1, 2, 1, {0.0f}, {0}}, {NAN, 5.0f}, 2, 1, Psum::kFp32)[0]));
  CHECK(matmul_sparse({1, 2, 1, {3.0f}, {7}}, {NAN, 5.0f}, 2, 1, Psum::kFp32)[0] == 0.0f);
  const SparseOperand kept = compress({0, 2, 0, 0, 5, 0, 0, 7}, 8, 1, 2, 4);
  CHECK(kept.positions == std::vector<std::uint8_t>{0, 1, 0, 3});
  CHECK(kept.values == std::vector<float>{0, 2, 5, 7});
}

TEST_CASE("reference: BF16 in PSUM rounds at every slab") {
  // Slab 1 gives 256, slab 2 adds 1: half a unit, a tie to even; in FP32 it stays.
  std::vector<float> a(256), b(256);
  a[0] = 16;
  b[0] = 16;
  a[128] = b[128] = 1;
  CHECK(matmul_dense(a, b, 256, 1, 1, Psum::kFp32)[0] == 257);
  CHECK(matmul_dense(a, b, 256, 1, 1, Psum::kBf16)[0] == 256);
}

TEST_CASE("reference: positions of blocks") {
  const BlockOrder mx = mx_order(512 + 128);
  REQUIRE(mx.slabs.size() == 2);
  CHECK(mx.slabs[0].size() == 16);
  CHECK(mx.slabs[1].size() == 4);
  CHECK(mx.slabs[0][1].k[0] == 8);
  CHECK(mx.slabs[0][1].k[8] == 128 + 8);
  CHECK(mx.slabs[1][3].k[31] == 512 + 3 * 32 + 31);
  CHECK(mx.slabs[1][3].scale_row == 19);
  CHECK(double_row_order(256).slabs[0][15].k[15] == 255);
  CHECK(quad_order(256, 3).slabs[1][2].scale_row == 16 + 8 + 3);
  CHECK(quad_order(256, 3).slabs[1][2].k[0] == 128 + 64);
}

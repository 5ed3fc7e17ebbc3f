// SPDX-License-Identifier: Apache-2.0
// The multiply-add and the PSUM addition of the engine against MPFR, bit for bit.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "tb/common/seed.h"
#include "tb/tensor/top/bench/operands.h"
#include "tb/tensor/top/bench/tensor_bench.h"
#include "tb/tensor/top/oracle/exact_fma.h"

namespace tern::tb {
namespace {

constexpr unsigned kLanes = 8;  // used of the tiny engine's 16
constexpr unsigned kLoadAt = 0, kMoveAt = 4096;

std::uint16_t bf16_exact(double x) {
  const std::uint32_t bits = bits_of(static_cast<float>(x));
  REQUIRE((bits & 0xFFFF) == 0);
  return static_cast<std::uint16_t>(bits >> 16);
}

// fma(a, w, c) for any binary32 c: c is split into three 8-bit parts, which the first rows add up
// exactly; the last row does the operation under test. The parts of small numbers are scaled up and
// multiplied by 2^-60.
class FmaProbe {
 public:
  explicit FmaProbe(TensorBench& bench) : bench_(bench) {}

  // c and w per lane, a per column, of one format; c of all lanes on one side of 2^-60 (zero and
  // NaN anywhere).
  void check(const std::vector<std::uint32_t>& c, const std::vector<std::uint16_t>& w,
             TensorType type, const std::vector<std::uint16_t>& a, bool small) {
    // Weights and moving elements of a MultiplyMoving have one format each, bf16 for the parts of
    // c. So the row under test comes from a second load of the other format only when it is bf16
    // too.
    const float scale = small ? std::ldexp(1.0f, 60) : 1.0f;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      float rest = float_of(c[lane]) * scale;
      for (unsigned row = 0; row < 3; ++row) {
        const float part = std::isfinite(rest) ? float_of(bits_of(rest) & 0xFFFF0000) : rest;
        bench_.sbuf().set(
            row, kLoadAt + 2 * lane,
            static_cast<std::uint16_t>(bits_of(part) >> 16 | (std::isnan(rest) ? 0x40 : 0)));
        // An infinity or a NaN is complete with its first part; so is a zero, whose sign -0 * 1 + 0
        // would lose.
        rest = std::isfinite(rest) ? rest - part : 0.0f;
      }
      bench_.sbuf().set(3, kLoadAt + 2 * lane, static_cast<std::uint16_t>(w[lane]));
    }
    for (unsigned i = 0; i < a.size(); ++i) {
      for (unsigned row = 0; row < 3; ++row) {
        bench_.sbuf().set(row, kMoveAt + 2 * i, bf16_exact(small ? std::ldexp(1.0, -60) : 1.0));
      }
      bench_.sbuf().set(3, kMoveAt + 2 * i, a[i]);
    }
    const TensorCommand load = bench_.load(0, 4, kLanes, kLoadAt, type);
    const TensorCommand move =
        bench_.move(load, static_cast<unsigned>(a.size()), kMoveAt, 0, 0, false, type);
    bench_.run({load, move});
    // The bench has compared the chain with host fmaf; this compares its last step with MPFR.
    for (unsigned i = 0; i < a.size(); ++i) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const float addend = float_of(c[lane]) == 0 ? 0.0f : float_of(c[lane]);
        const float x = decode(type, a[i]), y = decode(type, w[lane]);
        INFO("fma(" << x << ", " << y << ", " << addend << ")");
        const std::uint32_t exact = bits_of(exact_fma(x, y, addend));
        if (bench_.reference().psum(lane, i) != exact)
          REQUIRE(bench_.reference().psum(lane, i) == exact);
        ++cases_;
      }
    }
  }
  unsigned cases() const { return cases_; }

 private:
  TensorBench& bench_;
  unsigned cases_ = 0;
};

bool is_small(std::uint32_t bits) {
  return (bits & 0x7F800000) < 0x30000000;
}

}  // namespace

TEST_CASE("tiny: fma of special values") {
  TensorBench bench("tiny");
  FmaProbe probe(bench);
  const auto& elements = special_elements(TensorType::kBf16);
  for (const bool small : {false, true}) {
    std::vector<std::uint32_t> addends;
    for (std::uint32_t c : special_binary32()) {
      if (is_small(c) == small) addends.push_back(c);
    }
    for (std::uint32_t c : addends) {
      for (std::size_t first = 0; first < elements.size(); first += kLanes) {
        std::vector<std::uint16_t> w;
        for (std::size_t i = 0; i < kLanes; ++i)
          w.push_back(elements[(first + i) % elements.size()]);
        for (std::size_t from = 0; from < elements.size(); from += 16) {
          const std::vector<std::uint16_t> a(
              elements.begin() + static_cast<std::ptrdiff_t>(from),
              elements.begin() + static_cast<std::ptrdiff_t>(std::min(from + 16, elements.size())));
          probe.check(std::vector<std::uint32_t>(kLanes, c), w, TensorType::kBf16, a, small);
        }
      }
    }
  }
  REQUIRE(probe.cases() > 9000);
}

TEST_CASE("tiny: fma with addend and product of all relative exponents") {
  TensorBench bench("tiny");
  FmaProbe probe(bench);
  Random random(test_seed());
  for (int round = 0; round < 3000; ++round) {
    const bool small = round % 3 == 0;
    const unsigned low = small ? 0 : 100, high = small ? 90 : 254;
    // Products around an exponent, addends up to 30 binades away, often of nearly opposite value.
    const unsigned center = between(random, low + 2, high);
    std::vector<std::uint16_t> w, a;
    std::vector<std::uint32_t> c;
    const unsigned split = between(random, 1, 253);
    for (unsigned i = 0; i < kLanes; ++i) {
      w.push_back(static_cast<std::uint16_t>((random() & 0x807F) | (split << 7)));
      unsigned other = center + 127 - std::min(center + 126, split);
      other = std::min(other, 254u);
      a.push_back(static_cast<std::uint16_t>((random() & 0x807F) | (other << 7)));
      const int shift = static_cast<int>(below(random, 61)) - 30;
      const int field = std::clamp(static_cast<int>(center) + shift, static_cast<int>(low),
                                   static_cast<int>(high));
      std::uint32_t fraction = static_cast<std::uint32_t>(random()) & 0x807FFFFF;
      if (below(random, 3) == 0) fraction &= 0x807F0000;  // exact and tied sums
      c.push_back(fraction | static_cast<std::uint32_t>(field) << 23);
      if (below(random, 3) == 0) {  // cancellation: minus the product, give or take the last bits
        const float product =
            float_of(std::uint32_t{w[i]} << 16) * float_of(std::uint32_t{a[i]} << 16);
        std::uint32_t bits = bits_of(-product) + below(random, 3) - 1;
        if (is_small(bits) == small && std::isfinite(float_of(bits))) c.back() = bits;
      }
      if (is_small(c.back()) != small) c.back() = small ? 0x00000003 : 0x3F800001;
    }
    probe.check(c, w, TensorType::kBf16, a, small);
  }
}

TEST_CASE("tiny: fma overflows by one and just not, ties to even at every boundary") {
  TensorBench bench("tiny");
  FmaProbe probe(bench);
  // Largest finite + half an ulp is a tie away from the largest: infinity. A quarter ulp stays.
  const std::uint16_t half_ulp = 0x7300 /* 2^103 */;
  REQUIRE(decode(TensorType::kBf16, half_ulp) == std::ldexp(1.0f, 103));
  std::vector<std::uint32_t> c = {0x7F7FFFFF, 0xFF7FFFFF, 0x7F7FFFFE, 0x3F800000,
                                  0x3F800001, 0x3F800002, 0x7F7FFFFF, 0x3F7FFFFF};
  std::vector<std::uint16_t> w = {half_ulp, half_ulp, half_ulp, 0x3380 /* 2^-24 */,
                                  0x3380,   0x3380,   0x7280,   0x3300};
  probe.check(c, w, TensorType::kBf16, {0x3F80, 0xBF80, 0x3F00, 0x3F81, 0x3F7F, 0x4000}, false);
  // Subnormal results: halves of the smallest subnormal.
  const std::uint16_t tiny_half = 0x1A80;  // 2^-74
  REQUIRE(decode(TensorType::kBf16, tiny_half) == std::ldexp(1.0f, -74));
  c = {0, 1, 2, 3, 0x007FFFFF, 0x00800000, 0x80000001, 0x807FFFFF};
  probe.check(c, std::vector<std::uint16_t>(kLanes, tiny_half), TensorType::kBf16,
              {0x1A00 /* 2^-75 */, 0x9A00, 0x1A40, 0x1980, 0x1A80, 0x1A01, 0x0001, 0x8001}, true);
}

TEST_CASE("tiny: PSUM addition of special, opposite and random values") {
  TensorBench bench("tiny");
  Random random(test_seed() + 2);
  const auto& specials = special_binary32();
  // y is a sum of three bf16 parts, so any binary32 of ordinary size; the old PSUM word is
  // anything.
  for (int round = 0; round < 1500; ++round) {
    std::vector<std::uint32_t> y(kLanes), old(16 * kLanes);
    const float scale = round % 3 == 0 ? std::ldexp(1.0f, 60) : 1.0f;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      y[lane] = below(random, 3) == 0
                    ? specials[below(random, static_cast<unsigned>(specials.size()))]
                    : random_binary32(random);
      if (is_small(y[lane]) != (round % 3 == 0)) y[lane] = round % 3 == 0 ? 0x00000007 : 0xC0490FDB;
      float rest = float_of(y[lane]) * scale;
      for (unsigned row = 0; row < 3; ++row) {
        const float part = std::isfinite(rest) ? float_of(bits_of(rest) & 0xFFFF0000) : rest;
        bench.sbuf().set(
            row, kLoadAt + 2 * lane,
            static_cast<std::uint16_t>(bits_of(part) >> 16 | (std::isnan(rest) ? 0x40 : 0)));
        rest = std::isfinite(rest) ? rest - part : 0.0f;
      }
      for (unsigned i = 0; i < 16; ++i) {
        std::uint32_t& word = old[lane * 16 + i];
        const unsigned kind = below(random, 4);
        if (kind == 0) word = specials[below(random, static_cast<unsigned>(specials.size()))];
        if (kind == 1) word = random_binary32(random);
        if (kind == 2) word = (y[lane] ^ 0x80000000) + below(random, 5) - 2;  // cancellation
        if (kind == 3) {                                                      // within 30 binades
          const int field =
              static_cast<int>((y[lane] >> 23) & 0xFF) + static_cast<int>(below(random, 61)) - 30;
          word = (static_cast<std::uint32_t>(random()) & 0x807FFFFF) |
                 static_cast<std::uint32_t>(std::clamp(field, 0, 254)) << 23;
        }
      }
    }
    for (unsigned i = 0; i < 16; ++i) {
      for (unsigned row = 0; row < 3; ++row)
        bench.sbuf().set(row, kMoveAt + 2 * i, bf16_exact(1.0 / scale));
    }
    bench.write_psum(0, kLanes, 0, 16,
                     [&](unsigned lane, unsigned column) { return old[lane * 16 + column]; });
    const TensorCommand load = bench.load(0, 3, kLanes, kLoadAt);
    bench.run({load, bench.move(load, 16, kMoveAt, 0, 0, true)});
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned i = 0; i < 16; ++i) {
        const float addend = float_of(y[lane]) == 0 ? 0.0f : float_of(y[lane]);
        const std::uint32_t exact = bits_of(exact_add(float_of(old[lane * 16 + i]), addend));
        INFO("psum " << float_of(old[lane * 16 + i]) << " + " << addend);
        if (bench.reference().psum(lane, i) != exact)
          REQUIRE(bench.reference().psum(lane, i) == exact);
      }
    }
  }
}

TEST_CASE("tiny: chains keep order, signed zeros and NaN") {
  TensorBench bench("tiny");
  // In row order: inf - inf is NaN from there on; 2^24 + 1 + 1 loses both ones, 1 + 1 + 2^24 does
  // not.
  const std::vector<std::vector<std::uint16_t>> columns = {
      {0x7F80, 0xFF80, 0x3F80, 0x3F80}, {0x4B80, 0x3F80, 0x3F80, 0xCB80},
      {0x3F80, 0x3F80, 0x4B80, 0xCB80}, {0x8000, 0x8000, 0x8000, 0x8000},
      {0x7FC0, 0x3F80, 0xFF80, 0x0000}, {0x7F7F, 0x7F7F, 0xFF7F, 0xFF7F},
      {0x0001, 0x8001, 0x0001, 0x8001}, {0x3F80, 0xBF80, 0x8000, 0x8000}};
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned row = 0; row < 4; ++row)
      bench.sbuf().set(row, kLoadAt + 2 * lane, columns[lane][row]);
  }
  const std::vector<std::uint16_t> factors = {0x3F80, 0xBF80, 0x0000, 0x8000,
                                              0x7F80, 0x4000, 0x3F81, 0x0001};
  for (unsigned i = 0; i < factors.size(); ++i) {
    for (unsigned row = 0; row < 4; ++row) bench.sbuf().set(row, kMoveAt + 2 * i, factors[i]);
  }
  const TensorCommand load = bench.load(0, 4, kLanes, kLoadAt);
  bench.run({load, bench.move(load, 8, kMoveAt, 3, 4)});
  const unsigned base = 3 * bench.shape().bank_columns + 4;
  REQUIRE(bench.reference().psum(0, base) == 0x7FC00000);
  REQUIRE(bench.reference().psum(1, base) == 0x00000000);
  REQUIRE(bench.reference().psum(2, base) == 0x40000000);
  REQUIRE(bench.reference().psum(3, base) == 0x00000000);  // +0 + -0
  REQUIRE(bench.reference().psum(5, base) == 0x7F800000);  // overflow is not undone
}

}  // namespace tern::tb

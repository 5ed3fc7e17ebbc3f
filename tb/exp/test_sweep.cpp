// SPDX-License-Identifier: Apache-2.0
// Every binary32 input through the exponential unit's RTL: the model's bits, and the distance from
// the true exponential.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

#include "sw/numerics/exp.h"
#include "sw/numerics/float_bits.h"
#include "systemc/cosim/exp_rtl.h"
#include "tb/common/bench_wave.h"
#include "tb/common/check_mismatch.h"
#include "tb/exp/exp_mismatch.h"

using namespace tern;            // NOLINT: a test uses the names of what it tests
using namespace tern::numerics;  // NOLINT

namespace {

// Inputs in ascending order: -NaN, -Inf .. -0, +0 .. +Inf, NaN.
float nth(std::uint64_t n) {
  const auto word = static_cast<std::uint32_t>(n);
  return float_of(word < 0x80000000 ? ~word : word - 0x80000000);
}

struct Errors {
  double worst = 0, sum = 0;
  std::uint64_t inputs = 0, not_nearest = 0;

  // expl() of the C library is right to 2^-63 of its value or better: 2^-39 ulp of FP32.
  void add(float d, float y) {
    const long double exact = expl(d);
    int exponent;
    frexpl(exact, &exponent);
    const double ulp = std::ldexp(1.0, std::max(exponent - 24, -149));
    const double distance = std::fabs(static_cast<double>((y - exact) / ulp));
    worst = std::max(worst, distance);
    sum += distance;
    not_nearest += y != static_cast<float>(exact);
    ++inputs;
  }
};

}  // namespace

TEST_CASE("exp rtl: every binary32 input") {
  constexpr std::size_t kElements = 8192, kBlock = kExpPartitions * kElements;
  std::vector<float> x(kBlock), y(kBlock), expected(kBlock), m(kExpPartitions, 0.0f);
  ExpRequest request;
  request.partitions = kExpPartitions;
  request.elements = kElements;
  request.source = reinterpret_cast<const std::uint8_t*>(x.data());
  request.source_pitch = request.result_pitch = kElements * sizeof(float);
  request.m = m.data();
  request.result = reinterpret_cast<std::uint8_t*>(y.data());
  ExpRtl rtl(tb::bench_wave());
  Errors errors;
  tb::MismatchLog different, backwards;
  float previous = 0.0f;
  for (std::uint64_t first = 0; first < std::uint64_t{1} << 32; first += kBlock) {
    for (std::size_t i = 0; i < kBlock; ++i) x[i] = nth(first + i);
    const std::uint64_t begin = rtl.cycles_simulated();
    rtl.run(request);
    exp_row(x.data(), expected.data(), kBlock);
    for (std::size_t i = 0; i < kBlock; ++i) {
      const auto at = [&] {
        return tb::exp_element(begin, i / kElements, i % kElements, DType::kFp32, bits_of(x[i]),
                               0.0f, DType::kFp32);
      };
      different.compare(bits_of(expected[i]), bits_of(y[i]), 32, at);
      if (std::isnan(x[i])) continue;
      if (y[i] < previous) {
        backwards.add([&] {
          return tb::Mismatch{at(), "at least " + tb::hex(bits_of(previous)),
                              tb::hex(bits_of(y[i]))};
        });
      }
      previous = y[i];
      // Below 2^-27 in magnitude the result is 1, a quarter of an ulp away at most.
      if (std::fabs(x[i]) >= 0x1p-27f && y[i] > 0 && y[i] < INFINITY) errors.add(x[i], y[i]);
    }
  }
  std::printf(
      "exp rtl, every binary32 input: %llu with |d| >= 2^-27 and a finite result that is not 0:\n"
      "  worst %.4f ulp, mean %.4f ulp, %.2f %% not correctly rounded; %llu steps backwards, %llu "
      "bits unlike the model's\n",
      static_cast<unsigned long long>(errors.inputs), errors.worst,
      errors.sum / static_cast<double>(errors.inputs),
      100.0 * static_cast<double>(errors.not_nearest) / static_cast<double>(errors.inputs),
      static_cast<unsigned long long>(backwards.count()),
      static_cast<unsigned long long>(different.count()));
  CHECK_NO_MISMATCH(different);
  CHECK_NO_MISMATCH(backwards);
  CHECK(errors.worst <= 0.81);
}

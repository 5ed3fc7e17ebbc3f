// SPDX-License-Identifier: Apache-2.0
// Values of the exponential unit's RTL: against the definition bit for bit, against the true
// exponential in ulp.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "systemc/cosim/exp_rtl.h"
#include "tb/common/bench_wave.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/seed.h"
#include "tb/exp/exp_mismatch.h"
#include "tb/exp/exp_reference.h"
#include "tb/numerics/exp_error.h"

using namespace tern;            // NOLINT: a test uses the names of what it tests
using namespace tern::numerics;  // NOLINT
using namespace tern::tb;        // NOLINT

namespace {

constexpr DType kTypes[] = {DType::kFp32, DType::kBf16, DType::kFp16};

// Raw elements as a row of all partitions, through the RTL; the results in the same order.
std::vector<std::uint32_t> run(ExpRtl& rtl, DType from, DType to,
                               const std::vector<std::uint32_t>& raw, const std::vector<float>& m) {
  const std::size_t elements = raw.size() / kExpPartitions;
  const std::size_t in = dtype_size(from), out = dtype_size(to);
  std::vector<std::uint8_t> source(raw.size() * in), result(raw.size() * out);
  for (std::size_t i = 0; i < raw.size(); ++i) std::memcpy(&source[i * in], &raw[i], in);
  ExpRequest request;
  request.partitions = kExpPartitions;
  request.elements = elements;
  request.source_type = from;
  request.source = source.data();
  request.source_pitch = elements * in;
  request.m = m.data();
  request.result_type = to;
  request.result = result.data();
  request.result_pitch = elements * out;
  CHECK(rtl.run(request) == exp_cycles(elements));
  std::vector<std::uint32_t> words(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) std::memcpy(&words[i], &result[i * out], out);
  return words;
}

std::vector<std::uint32_t> every_half_word() {
  std::vector<std::uint32_t> raw(1u << 16);
  for (std::uint32_t i = 0; i < raw.size(); ++i) raw[i] = i;
  return raw;
}

// Elements that differ from the definition; `m` holds one value per partition.
MismatchLog differences(ExpRtl& rtl, DType from, const std::vector<std::uint32_t>& raw,
                        const std::vector<float>& m) {
  ExpReference reference;
  const std::size_t elements = raw.size() / kExpPartitions;
  std::vector<std::uint32_t> expected(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    expected[i] = reference.exp(from, raw[i], m[i / elements]);
  }
  MismatchLog log;
  for (const DType to : kTypes) {
    const std::uint64_t begin = rtl.cycles_simulated();
    const auto words = run(rtl, from, to, raw, m);
    for (std::size_t i = 0; i < raw.size(); ++i) {
      log.compare(ExpReference::narrow(to, expected[i]), words[i], bits_in(to), [&] {
        return exp_element(begin, i / elements, i % elements, from, raw[i], m[i / elements], to);
      });
    }
  }
  return log;
}

const std::vector<float> kNoMaximum(kExpPartitions, 0.0f);

}  // namespace

TEST_CASE("exp rtl: every BF16 and FP16 input, to every format") {
  ExpRtl rtl(bench_wave());
  for (const DType from : {DType::kBf16, DType::kFp16}) {
    CAPTURE(dtype_name(from));
    CHECK_NO_MISMATCH(differences(rtl, from, every_half_word(), kNoMaximum));
  }
}

TEST_CASE("exp rtl: every BF16 and FP16 input, error and order") {
  ExpRtl rtl(bench_wave());
  for (const DType from : {DType::kBf16, DType::kFp16}) {
    const std::uint64_t begin = rtl.cycles_simulated();
    const auto words = run(rtl, from, DType::kFp32, every_half_word(), kNoMaximum);
    const std::size_t elements = words.size() / kExpPartitions;
    ExpError error;
    MismatchLog backwards;
    float previous = 0.0f;
    const int infinity = from == DType::kBf16 ? 0x7F80 : 0x7C00;
    for (int key = -infinity; key <= infinity; ++key) {  // -Inf to +Inf in order
      const auto raw = static_cast<std::uint32_t>(key < 0 ? 0x8000 - key : key);
      const float y = float_of(words[raw]);
      if (y < previous) {
        backwards.add([&] {
          return Mismatch{
              exp_element(begin, raw / elements, raw % elements, from, raw, 0.0f, DType::kFp32),
              "at least " + hex(bits_of(previous)), hex(words[raw])};
        });
      }
      previous = y;
      error.add(float_of(ExpReference::widen(from, raw)), y);
    }
    const std::string name(dtype_name(from));
    std::printf("exp rtl, all %s inputs: worst %.4f ulp of FP32\n", name.c_str(), error.worst());
    CHECK(error.worst() <= 0.81);
    CHECK_NO_MISMATCH(backwards);
  }
}

TEST_CASE("exp rtl: corners of binary32") {
  const std::uint32_t borders[] = {
      0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000,  // around 0
      0x32800000, 0xB2800000,                                                  // 2^-26: below it, 1
      0x42B17218,                                                              // first overflow
      0xC2AEAC50,              // around the first subnormal result
      0xC2CFF1B4,              // last that is not zero
      0x7F800000, 0xFF800000,  // infinities, then NaN
      0x7FC00000, 0xFFC00000, 0x7FFFFFFF, 0xFFFFFFFF, 0x7F7FFFFF, 0xFF7FFFFF,
      // Multiples of 16: the only inputs whose product with log2(e) is cut exactly.
      0x41800000, 0xC1800000, 0xC2000000, 0xC2400000, 0xC2800000, 0xC2A00000, 0xC2C00000};
  std::vector<std::uint32_t> raw;
  for (const std::uint32_t border : borders) {
    for (std::uint32_t i = 0; i < 128; ++i) raw.push_back(border + i - 64);
  }
  ExpRtl rtl(bench_wave());
  CHECK_NO_MISMATCH(differences(rtl, DType::kFp32, raw, kNoMaximum));

  // Words that one may look up.
  const std::uint32_t table[][2] = {{0x42B17218, 0x7F800000}, {0x42B17217, 0x7F7FFF84},
                                    {0xC2CFF1B4, 0x00000001}, {0xC2CFF1B5, 0x00000000},
                                    {0x327FFFFF, 0x3F800000}, {0xFF800000, 0x00000000},
                                    {0x7F800001, 0x7FC00000}};
  raw.assign(kExpPartitions, 0);
  for (std::size_t i = 0; i < std::size(table); ++i) raw[i] = table[i][0];
  const std::uint64_t begin = rtl.cycles_simulated();
  const auto words = run(rtl, DType::kFp32, DType::kFp32, raw, kNoMaximum);
  MismatchLog log;
  for (std::size_t i = 0; i < std::size(table); ++i) {
    log.compare(table[i][1], words[i], 32,
                [&] { return exp_element(begin, i, 0, DType::kFp32, raw[i], 0.0f, DType::kFp32); });
  }
  CHECK_NO_MISMATCH(log);
}

TEST_CASE("exp rtl: truncated products next to a carry") {
  // One input in a million has a different result if the lowest bit of the first product is 1.
  std::vector<std::uint32_t> raw = {0x3F96AE05, 0x3F9ACD54, 0x3FA74E98, 0x3FF38660};
  raw.resize(kExpPartitions);
  ExpRtl rtl(bench_wave());
  CHECK_NO_MISMATCH(differences(rtl, DType::kFp32, raw, kNoMaximum));
}

TEST_CASE("exp rtl: differences, one rounding before the function") {
  std::mt19937_64 random(test_seed());
  ExpRtl rtl(bench_wave());
  const std::uint32_t specials[] = {0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x00000000,
                                    0x80000000, 0x7F7FFFFF, 0xFF7FFFFF, 0x00000001, 0x42B17218};
  const auto any = [&] {
    const std::uint64_t r = random();
    if (r % 16 == 0) return specials[random() % std::size(specials)];
    if (r % 16 == 1) return static_cast<std::uint32_t>(random());
    const double value = (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) * 220;
    return bits_of(static_cast<float>(value));
  };
  for (const DType from : kTypes) {
    std::vector<std::uint32_t> raw(kExpPartitions * 64);
    std::vector<float> m(kExpPartitions);
    for (std::size_t p = 0; p < m.size(); ++p) {
      m[p] = float_of(p < std::size(specials) ? specials[p] : any());
      for (std::size_t i = 0; i < 64; ++i) {
        // Half of them close to m, as they are in a softmax.
        std::uint32_t bits = any();
        if (i % 2 == 0) {
          bits = bits_of(m[p] - std::ldexp(float_of(any()), -static_cast<int>(random() % 12)));
        }
        raw[p * 64 + i] = from == DType::kFp32   ? bits
                          : from == DType::kBf16 ? bits >> 16
                                                 : static_cast<std::uint32_t>(random() & 0xFFFF);
      }
    }
    CAPTURE(dtype_name(from));
    CHECK_NO_MISMATCH(differences(rtl, from, raw, m));
  }
}

TEST_CASE("exp rtl: differences that tie, that cancel and of large numbers") {
  std::mt19937_64 random(test_seed());
  const auto scaled = [&](double significand, int exponent) {
    return static_cast<float>(std::ldexp(random() % 2 == 0 ? significand : -significand, exponent));
  };
  const auto significand = [&] { return 0x800000 + static_cast<double>(random() % 0x800000); };
  std::vector<std::uint32_t> raw(kExpPartitions * 256);
  std::vector<float> m(kExpPartitions);
  for (std::size_t p = 0; p < m.size(); ++p) {
    // The maximum is tiny, ordinary or so large that the difference loses its fraction; last
    // places from 2^-48 to 2^6, and some to 2^104.
    const int place =
        p % 16 == 0 ? static_cast<int>(random() % 105) : static_cast<int>(p % 55) - 48;
    m[p] = scaled(significand(), place);
    for (std::size_t i = 0; i < 256; ++i) {
      const float few = scaled(static_cast<double>(random() % 256), place);
      // Half of the last place of m, or almost half of it or of the places next to it.
      const float half = scaled(significand(), place - 24 + static_cast<int>(random() % 3) - 1);
      const float tie = scaled(0x800000, place - 24 + static_cast<int>(random() % 3) - 1);
      const float x = i % 4 == 0 ? m[p] + few : i % 4 == 1 ? few : i % 4 == 2 ? half : tie;
      raw[p * 256 + i] = bits_of(x);
    }
  }
  ExpRtl rtl(bench_wave());
  CHECK_NO_MISMATCH(differences(rtl, DType::kFp32, raw, m));
}

TEST_CASE("exp rtl: random binary32 inputs against the definition") {
  std::mt19937_64 random(test_seed());
  std::vector<std::uint32_t> raw(kExpPartitions * 400);
  for (std::size_t i = 0; i < raw.size(); ++i) {
    // Uniform in bits where the result is neither 1 nor beyond the range.
    raw[i] = (static_cast<std::uint32_t>(random()) & 0x807FFFFF) |
             static_cast<std::uint32_t>(101 + random() % 33) << 23;
  }
  ExpRtl rtl(bench_wave());
  CHECK_NO_MISMATCH(differences(rtl, DType::kFp32, raw, kNoMaximum));
}

// SPDX-License-Identifier: Apache-2.0
// The exponential unit's RTL against the host: running sums of long rows.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "systemc/cosim/exp_rtl.h"
#include "tb/common/bench_wave.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/seed.h"
#include "tb/exp/exp_stream.h"
#include "tb/exp/exp_words.h"

using namespace tern;            // NOLINT: a test uses the names of what it tests
using namespace tern::numerics;  // NOLINT
using namespace tern::tb;        // NOLINT

TEST_CASE("exp rtl: long running sums against the host's plain chain") {
  std::mt19937_64 random(test_seed());
  constexpr std::size_t n = 1021;
  std::vector<float> x(kExpPartitions * n), y(x.size()), m(kExpPartitions), sums(kExpPartitions);
  for (float& value : x) value = float_of(random_word(random) | 0x80000000);
  for (float& value : sums) value = static_cast<float>(random() % 100);
  for (unsigned p = 0; p < kExpPartitions; ++p) m[p] = -static_cast<float>(p);
  std::vector<float> expected = sums;
  ExpRequest request;
  request.partitions = kExpPartitions;
  request.elements = n;
  request.source = reinterpret_cast<const std::uint8_t*>(x.data());
  request.source_pitch = request.result_pitch = n * sizeof(float);
  request.m = m.data();
  request.result = reinterpret_cast<std::uint8_t*>(y.data());
  request.sum = ExpSum::kAccumulate;
  request.accumulators = sums.data();
  ExpRtl rtl(bench_wave());
  CHECK(rtl.run(request) == exp_cycles(n));
  MismatchLog log;
  for (unsigned p = 0; p < kExpPartitions; ++p) {
    float acc = expected[p];
    for (std::size_t i = 0; i < n; i += 4) {
      float e[4] = {};
      for (std::size_t q = 0; q < 4 && i + q < n; ++q) e[q] = y[p * n + i + q];
      const float low = e[0] + e[1], high = e[2] + e[3], s = low + high;
      acc = acc + s;
    }
    log.compare(std::isnan(acc) ? 0x7FC00000u : bits_of(acc), bits_of(sums[p]), 32, [&] {
      return Where{"port acc_o, lane " + std::to_string(p),
                   std::to_string(n) + " results, the last " + hex(bits_of(y[p * n + n - 1])) +
                       ", after " + hex(bits_of(expected[p]))};
    });
  }
  CHECK_NO_MISMATCH(log);
}

// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "sw/numerics/float_bits.h"
#include "systemc/engines/vector/special/batch_statistics.h"
#include "tb/common/seed.h"

using namespace tern;

namespace {

// Every step in double, rounded once: correct for one addition, subtraction, product or quotient of
// FP32 numbers.
float rounded(double value) {
  return static_cast<float>(value);
}

void plain_group(const std::vector<float>& group, float* out) {
  if (group.empty()) {
    out[0] = out[1] = out[2] = 0;
    return;
  }
  float sum = group[0];
  for (std::size_t i = 1; i < group.size(); ++i) sum = rounded(double{sum} + group[i]);
  const float mean = rounded(double{sum} / static_cast<double>(group.size()));
  float squares = 0;
  for (float x : group) {
    const float d = rounded(double{x} - mean);
    squares = rounded(double{squares} + rounded(double{d} * d));
  }
  out[0] = static_cast<float>(group.size());
  out[1] = mean;
  out[2] = squares;
}

struct Exact {
  double mean = 0, variance = 0;
};
Exact exact(const std::vector<float>& values) {
  Exact e;
  for (float x : values) e.mean += x;
  e.mean /= static_cast<double>(values.size());
  for (float x : values) e.variance += (x - e.mean) * (x - e.mean);
  e.variance /= static_cast<double>(values.size());
  return e;
}

}  // namespace

TEST_CASE("bn_stats: each step rounded as documented") {
  std::mt19937_64 random(tb::test_seed());
  std::normal_distribution<float> normal(3.0f, 10.0f);
  for (std::size_t count : {1u, 2u, 3u, 7u, 64u, 511u, 512u}) {
    std::vector<float> values(count), even, odd;
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = normal(random);
      (i % 2 == 0 ? even : odd).push_back(values[i]);
    }
    float wanted[6], result[6];
    plain_group(even, wanted);
    plain_group(odd, wanted + 3);
    batch_statistics(values.data(), count, result);
    for (unsigned i = 0; i < 6; ++i) {
      INFO(count << " elements, result " << i);
      CHECK(numerics::bits_of(result[i]) == numerics::bits_of(wanted[i]));
    }
  }
}

TEST_CASE("bn_stats: hand numbers") {
  const float values[] = {1, 10, 2, 20, 6, 30};
  float result[6];
  batch_statistics(values, 6, result);
  const float wanted[] = {3, 3, 14, 3, 20, 200};  // 4 + 1 + 9; 100 + 0 + 100
  for (unsigned i = 0; i < 6; ++i) CHECK(result[i] == wanted[i]);
  const float with_nan[] = {1, NAN};
  batch_statistics(with_nan, 2, result);
  CHECK(result[2] == 0.0f);
  CHECK(result[3] == 1.0f);
  CHECK(numerics::bits_of(result[4]) == 0x7FC00000);
  CHECK(numerics::bits_of(result[5]) == 0x7FC00000);
}

TEST_CASE("bn_aggr: Chan's merge, in order, hand numbers") {
  // (2 elements, mean 1, sum 2) and (6, 5, 10): count 8, mean 1 + 4 * 6/8 = 4,
  // sum 2 + 10 + 16 * 2 * 6/8 = 36.
  const float triples[] = {0, 77, 77, 2, 1, 2, 0, NAN, NAN, 6, 5, 10};
  float result[2];
  batch_aggregate(triples, 4, result);
  CHECK(result[0] == 4.0f);
  CHECK(result[1] == 4.5f);
  batch_aggregate(triples, 1, result);
  CHECK(std::isnan(result[0]));
  CHECK(std::isnan(result[1]));
}

TEST_CASE("bn_stats and bn_aggr together give mean and variance of a long row") {
  std::mt19937_64 random(tb::test_seed());
  for (float mean : {0.0f, 1.0f, 1000.0f}) {
    std::normal_distribution<float> normal(mean, 1.0f);
    std::vector<float> values(5000), triples;
    for (float& value : values) value = normal(random);
    for (std::size_t first = 0; first < values.size(); first += kBatchStatisticsElements) {
      float result[6];
      batch_statistics(&values[first], std::min(kBatchStatisticsElements, values.size() - first),
                       result);
      triples.insert(triples.end(), result, result + 6);
    }
    float result[2];
    batch_aggregate(triples.data(), triples.size() / 3, result);
    const Exact wanted = exact(values);
    INFO("mean " << mean << ": " << result[0] << ' ' << result[1]);
    CHECK(std::fabs(result[0] - wanted.mean) <= 3e-7 * std::max(1.0, std::fabs(wanted.mean)));
    // A plain E[x^2] - E[x]^2 would lose everything at mean 1000.
    CHECK(std::fabs(result[1] - wanted.variance) <= 2e-5 * wanted.variance);
  }
}

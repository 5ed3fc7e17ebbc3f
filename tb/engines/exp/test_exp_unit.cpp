// SPDX-License-Identifier: Apache-2.0
// The fast model of the exponential unit against the scalar definition, element by element.
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "sw/numerics/convert.h"
#include "sw/numerics/exp.h"
#include "systemc/engines/exp/exp_unit.h"
#include "tb/common/seed.h"

using namespace tern;            // NOLINT: a test uses the names of what it tests
using namespace tern::numerics;  // NOLINT

namespace {

struct Rows {
  Rows(DType type, unsigned partitions, std::size_t elements)
      : type(type), elements(elements), bytes(partitions * pitch()) {}
  std::size_t pitch() const { return elements * dtype_size(type) + 3; }  // rows at odd addresses
  std::uint8_t* row(unsigned p) { return bytes.data() + p * pitch(); }
  DType type;
  std::size_t elements;
  std::vector<std::uint8_t> bytes;
};

float random_value(std::mt19937_64& random) {
  const auto bits = static_cast<std::uint32_t>(random());
  if (bits % 8 == 0) return float_of(static_cast<std::uint32_t>(random()));  // anything
  return static_cast<float>(static_cast<std::int32_t>(bits)) * 0x1p-24f;     // -128 .. 128
}

}  // namespace

TEST_CASE("exp unit model: random rows of every type, sums in the order of the unit") {
  std::mt19937_64 random(tern::tb::test_seed());
  const std::unique_ptr<ExpUnit> unit = make_exp_model();
  const DType types[] = {DType::kFp32, DType::kBf16, DType::kFp16};
  std::size_t wrong = 0;
  for (int round = 0; round < 200; ++round) {
    const auto partitions = static_cast<unsigned>(1 + random() % 128);
    const std::size_t n = 1 + random() % 70;
    Rows source(types[random() % 3], partitions, n), result(types[random() % 3], partitions, n);
    std::vector<float> m(partitions), sums(partitions), expected_sums;
    for (unsigned p = 0; p < partitions; ++p) {
      for (std::size_t i = 0; i < n; ++i) {
        narrow_element(source.type, random_value(random),
                       source.row(p) + i * dtype_size(source.type));
      }
      m[p] = p % 3 == 0 ? 0.0f : random_value(random);
      sums[p] = random_value(random);
    }
    expected_sums = sums;
    ExpRequest request;
    request.partitions = partitions;
    request.elements = n;
    request.source_type = source.type;
    request.source = source.bytes.data();
    request.source_pitch = source.pitch();
    request.m = m.data();
    request.result_type = result.type;
    request.result = result.bytes.data();
    request.result_pitch = result.pitch();
    request.sum = round % 2 == 0 ? ExpSum::kAccumulate : ExpSum::kOff;
    request.accumulators = sums.data();
    CHECK(unit->run(request) == (n + 3) / 4 + 8);

    for (unsigned p = 0; p < partitions; ++p) {
      float group[4] = {};
      for (std::size_t i = 0; i < n; ++i) {
        const float x = widen_element(source.type, source.row(p) + i * dtype_size(source.type));
        group[i % 4] = exp_of_difference(x, m[p]);
        std::uint8_t bytes[4];
        narrow_element(result.type, group[i % 4], bytes);
        const std::size_t size = dtype_size(result.type);
        wrong += std::memcmp(bytes, result.row(p) + i * size, size) != 0;
        if (request.sum == ExpSum::kOff || (i % 4 != 3 && i + 1 < n)) continue;
        for (std::size_t missing = i % 4 + 1; missing < 4; ++missing) group[missing] = 0.0f;
        const float s = (group[0] + group[1]) + (group[2] + group[3]);
        expected_sums[p] = canonical(expected_sums[p] + s);
      }
      wrong += request.sum != ExpSum::kOff && bits_of(sums[p]) != bits_of(expected_sums[p]);
      wrong += request.sum == ExpSum::kOff &&
               std::memcmp(&sums[p], &expected_sums[p], sizeof(float)) != 0;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("exp unit model: what is no request is refused") {
  const std::unique_ptr<ExpUnit> unit = make_exp_model();
  float x = 0, y = 0, m = 0;
  ExpRequest request;
  request.partitions = 1;
  request.elements = 1;
  request.source = reinterpret_cast<const std::uint8_t*>(&x);
  request.result = reinterpret_cast<std::uint8_t*>(&y);
  request.m = &m;
  CHECK_NOTHROW(unit->run(request));
  CHECK(y == 1.0f);
  request.sum = ExpSum::kAccumulate;
  CHECK_THROWS_AS(unit->run(request), std::invalid_argument);
  request.sum = ExpSum::kOff;
  request.partitions = 129;
  CHECK_THROWS_AS(unit->run(request), std::invalid_argument);
  request.partitions = 1;
  request.source_type = DType::kInt32;
  CHECK_THROWS_AS(unit->run(request), std::invalid_argument);
}

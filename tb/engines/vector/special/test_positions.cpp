// SPDX-License-Identifier: Apache-2.0
// Affine functions, gathers and segments.
#include <catch2/catch.hpp>
#include <cstring>

#include "sw/spec/generated/isa.h"
#include "systemc/engines/vector/special/affine.h"
#include "systemc/engines/vector/special/gather.h"
#include "systemc/engines/vector/special/segments.h"
#include "tb/common/seed.h"
#include "tb/engines/vector/special/oracle.h"

using namespace tern;

TEST_CASE("affine function: four dimensions, modulo 2^32") {
  std::mt19937_64 random(tb::test_seed());
  for (unsigned turn = 0; turn < 20; ++turn) {
    AffineFunction f;
    f.base = static_cast<std::int32_t>(random());
    f.channel_multiplier = static_cast<std::int32_t>(random());
    for (unsigned d = 0; d < 4; ++d) {
      f.step[d] = static_cast<std::int16_t>(random());
      f.num[d] = 1 + static_cast<std::uint32_t>(random() % 6);
    }
    const auto partition = static_cast<unsigned>(random() % 128);
    const std::vector<std::int32_t> row = f.row(partition);
    REQUIRE(row.size() == std::size_t{f.num[0]} * f.num[1] * f.num[2] * f.num[3]);
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::int64_t value = f.base + std::int64_t{f.channel_multiplier} * partition;
      std::size_t rest = i;
      for (unsigned d = 0; d < 4; ++d) {
        value += f.step[d] * static_cast<std::int64_t>(rest % f.num[d]);
        rest /= f.num[d];
      }
      CHECK(static_cast<std::uint32_t>(row[i]) == static_cast<std::uint32_t>(value));
    }
  }
}

TEST_CASE("affine function: comparisons with zero") {
  for (int value : {-5, 0, 7}) {
    CHECK(compares_with_zero(TERN_ALU_OP_IS_EQ, value) == (value == 0));
    CHECK(compares_with_zero(TERN_ALU_OP_IS_NE, value) == (value != 0));
    CHECK(compares_with_zero(TERN_ALU_OP_IS_GE, value) == (value >= 0));
    CHECK(compares_with_zero(TERN_ALU_OP_IS_GT, value) == (value > 0));
    CHECK(compares_with_zero(TERN_ALU_OP_IS_LE, value) == (value <= 0));
    CHECK(compares_with_zero(TERN_ALU_OP_IS_LT, value) == (value < 0));
  }
  CHECK_THROWS_AS(compares_with_zero(TERN_ALU_OP_ADD, 0), std::logic_error);
}

TEST_CASE("gather: runs of elements, an index outside stops it") {
  std::vector<std::uint16_t> row(100);
  for (unsigned i = 0; i < row.size(); ++i) row[i] = static_cast<std::uint16_t>(1000 + i);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(row.data());
  std::uint16_t result[12] = {};
  auto* out = reinterpret_cast<std::uint8_t*>(result);
  CHECK_FALSE(gather_elements(bytes, 100, 2, {7, 96, 0}, 4, out));
  const std::uint16_t wanted[] = {1007, 1008, 1009, 1010, 1096, 1097,
                                  1098, 1099, 1000, 1001, 1002, 1003};
  CHECK(std::memcmp(result, wanted, sizeof wanted) == 0);
  CHECK(gather_elements(bytes, 100, 2, {7, 97, 0}, 4, out) == std::size_t{1});
  CHECK(gather_elements(bytes, 100, 2, {0xFFFFFFFF}, 1, out) == std::size_t{0});
  CHECK(CoreOrder::partition(35) == 3);
  CHECK(CoreOrder::column(35) == 2);
  CHECK(CoreOrder::columns(32) == 2);
  CHECK(CoreOrder::columns(33) == 3);
}

TEST_CASE("nonzero_with_count: indices, padding, count") {
  const float values[] = {0, 1, -3, -0.0f, NAN, 0, 0, 0};
  std::int32_t result[9];
  nonzero_with_count(values, 8, 16, -1, result);
  const std::int32_t wanted[] = {17, 18, 20, -1, -1, -1, -1, -1, 3};
  for (unsigned i = 0; i < 9; ++i) CHECK(result[i] == wanted[i]);
}

TEST_CASE("sequence_bounds: runs of equal ids, padding") {
  const double ids[] = {0, 0, 3, 3, 3, 5, 0, 3};
  std::int32_t starts[8], ends[8];
  sequence_bounds(ids, 8, starts, ends);
  const std::int32_t wanted_starts[] = {8, 8, 2, 2, 2, 5, 8, 7};
  const std::int32_t wanted_ends[] = {-1, -1, 5, 5, 5, 6, -1, 8};
  for (unsigned i = 0; i < 8; ++i) {
    CHECK(starts[i] == wanted_starts[i]);
    CHECK(ends[i] == wanted_ends[i]);
  }
}

TEST_CASE("sequence_bounds: random rows against the definition of every element") {
  std::mt19937_64 random(tb::test_seed());
  std::vector<double> ids(300);
  for (double& id : ids) id = static_cast<double>(random() % 3);
  std::vector<std::int32_t> starts(ids.size()), ends(ids.size());
  sequence_bounds(ids.data(), ids.size(), starts.data(), ends.data());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::size_t first = i, end = i;
    while (first > 0 && ids[first - 1] == ids[i]) --first;
    while (end < ids.size() && ids[end] == ids[i]) ++end;
    CHECK(starts[i] == static_cast<std::int32_t>(ids[i] == 0 ? ids.size() : first));
    CHECK(ends[i] == (ids[i] == 0 ? -1 : static_cast<std::int32_t>(end)));
  }
}

// SPDX-License-Identifier: Apache-2.0
// Bits of collectives: exact sums whatever the algorithm, and rounded ones in the documented order.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "sw/base/user_error.h"
#include "sw/collectives/algorithms/algorithms.h"
#include "sw/collectives/evaluate.h"
#include "tb/common/seed.h"

using namespace tern;               // NOLINT: a test uses the names of what it tests
using namespace tern::collectives;  // NOLINT

namespace {

using Floats = std::vector<float>;

// Finite values of E4M3FN: four bits from the first one on, multiples of 2^-9, at most 448.
float rounded_to_fp8(float value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  const int last = std::max(exponent - 4, -9);
  const float nearest = std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
  return std::clamp(nearest, -448.0F, 448.0F);
}

std::uint8_t fp8_code(float value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  const int last = value == 0 ? -9 : std::max(exponent - 4, -9);
  const auto significand = static_cast<int>(std::ldexp(std::abs(value), -last));
  return static_cast<std::uint8_t>((std::signbit(value) ? 0x80 : 0) + (last + 9) * 8 + significand);
}

// The reference's own rounding: to nearest even, of finite values.
float rounded(float value, Element element) {
  if (element == Element::kFp32) return value;
  if (element == Element::kFp8) return rounded_to_fp8(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, 4);
  bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000;
  std::memcpy(&value, &bits, 4);
  return value;
}

Bytes packed(const Floats& values, Element element) {
  const std::size_t size = element == Element::kFp32 ? 4 : element == Element::kBf16 ? 2 : 1;
  Bytes bytes(size * values.size());
  for (std::size_t i = 0; size == 1 && i < values.size(); ++i) bytes[i] = fp8_code(values[i]);
  if (size == 1) return bytes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &values[i], 4);
    if (size == 2) bits >>= 16;
    std::memcpy(&bytes[size * i], &bits, size);
  }
  return bytes;
}

struct Group {
  Schedule schedule;
  std::vector<Floats> values;  // of each rank
  Element element;

  std::vector<Bytes> run() const {
    std::vector<Bytes> operands;
    for (const Floats& own : values) operands.push_back(packed(own, element));
    return evaluate(schedule, element, operands);
  }
};

// Rank 0 gets about three times as much as the others, and somebody nothing from somebody.
std::vector<std::vector<unsigned>> counts_of(unsigned ranks) {
  auto counts = routed_counts(ranks, 3 * ranks, 3, tb::test_seed());
  counts[ranks - 1][0] = 0;
  return counts;
}

Group group_of(const std::string& name, Operation operation, const Axes& axes, Element element,
               std::size_t elements, bool whole_numbers) {
  Problem problem;
  problem.operation = operation;
  problem.ranks = 1;
  for (const unsigned size : axes) problem.ranks *= size;
  problem.root = problem.ranks - 1;
  if (operation == Operation::kPermute) problem.to = next_of_each(problem.ranks);
  if (operation == Operation::kAllToAllV) {
    problem.counts = counts_of(problem.ranks);
    elements = 5 * std::size_t{problem.most_chunks()};  // of a chunk five
  }
  Group group{make_schedule(name, problem, axes), {}, element};
  std::mt19937_64 random(tb::test_seed());
  for (unsigned rank = 0; rank < problem.ranks; ++rank) {
    Floats& values = group.values.emplace_back();
    for (std::size_t i = 0; i < elements; ++i) {
      // Sums of 16 whole numbers up to 1 are exact in every format.
      const float value = whole_numbers ? static_cast<float>(random() % 2)
                                        : static_cast<float>(random() % 2000000) / 7e3f - 140.0f;
      values.push_back(rounded(value, element));
    }
  }
  return group;
}

// What rank `rank` is to get, if sums are exact.
Floats expected_of(const Group& group, unsigned rank) {
  const Problem& problem = group.schedule.problem;
  const std::size_t elements = group.values[0].size(), part = elements / problem.ranks;
  Floats sum(elements), result;
  for (const Floats& own : group.values) {
    for (std::size_t i = 0; i < elements; ++i) sum[i] += own[i];
  }
  const auto slice = [&](const Floats& from, std::size_t number) {
    result.insert(result.end(), from.begin() + static_cast<std::ptrdiff_t>(number * part),
                  from.begin() + static_cast<std::ptrdiff_t>((number + 1) * part));
  };
  switch (problem.operation) {
    case Operation::kAllReduce:
      return sum;
    case Operation::kReduceScatter:
      slice(sum, rank);
      break;
    case Operation::kAllGather:
      for (unsigned source = 0; source < problem.ranks; ++source)
        slice(group.values[source], source);
      break;
    case Operation::kAllToAll:
      for (unsigned source = 0; source < problem.ranks; ++source) slice(group.values[source], rank);
      break;
    case Operation::kAllToAllV:
      for (unsigned source = 0; source < problem.ranks; ++source) {
        std::size_t before = 0;
        for (unsigned to = 0; to < rank; ++to) before += problem.counts[source][to];
        const auto first = group.values[source].begin() + static_cast<std::ptrdiff_t>(5 * before);
        result.insert(result.end(), first, first + 5 * problem.counts[source][rank]);
      }
      break;
    case Operation::kBroadcast:
      return group.values[problem.root];
    case Operation::kPermute:
      return group.values[(rank + problem.ranks - 1) % problem.ranks];
    case Operation::kBarrier:
      break;
  }
  return result;
}

void check_exact(Operation operation, const Axes& axes, Element element) {
  Problem problem;
  problem.operation = operation;
  problem.ranks = 1;
  for (const unsigned size : axes) problem.ranks *= size;
  problem.to = next_of_each(problem.ranks);
  problem.counts = counts_of(problem.ranks);
  for (const std::string& name : algorithms_for(problem, axes)) {
    const Group group = group_of(name, operation, axes, element, 5 * problem.ranks, true);
    const std::vector<Bytes> results = group.run();
    CAPTURE(name, axes, name_of(operation));
    for (unsigned rank = 0; rank < problem.ranks; ++rank)
      CHECK(results[rank] == packed(expected_of(group, rank), element));
  }
}

// The sum of `order`, one after the other.
float sum_of(const Group& group, const std::vector<unsigned>& order, std::size_t i) {
  float sum = group.values[order[0]][i];
  for (std::size_t k = 1; k < order.size(); ++k)
    sum = rounded(sum + group.values[order[k]][i], group.element);
  return sum;
}

}  // namespace

TEST_CASE("collective bits: exact sums, parts and copies of every algorithm, group and format") {
  for (unsigned number = 0; number < operation_names().size(); ++number) {
    const auto operation = static_cast<Operation>(number);
    if (operation == Operation::kBarrier) continue;
    for (const Element element : {Element::kFp32, Element::kBf16, Element::kFp8}) {
      for (const Axes& axes : {Axes{2}, Axes{5}, Axes{8}, Axes{2, 3}, Axes{4, 4}, Axes{2, 2, 4}})
        check_exact(operation, axes, element);
    }
  }
}

TEST_CASE("collective bits: rounded sums have the documented order") {
  for (const Element element : {Element::kFp32, Element::kBf16, Element::kFp8}) {
    constexpr unsigned kRanks = 8, kPart = 3;
    for (const std::string name : {"ring", "mesh", "one-step"}) {
      const Group group =
          group_of(name, Operation::kAllReduce, {kRanks}, element, kPart * kRanks, false);
      const std::vector<Bytes> results = group.run();
      Floats expected;
      for (unsigned i = 0; i < kPart * kRanks; ++i) {
        const unsigned own = i / kPart;
        std::vector<unsigned> order;
        for (unsigned k = 0; k < kRanks; ++k)
          order.push_back(name == "one-step" ? k : (own + k + (name == "ring" ? 1 : 0)) % kRanks);
        expected.push_back(sum_of(group, order, i));
      }
      CAPTURE(name);
      for (const Bytes& result : results) CHECK(result == packed(expected, element));
    }
    // Pairs at distances 1, 2, 4: a tree.
    const Group group = group_of("doubling", Operation::kAllReduce, {kRanks}, element, 9, false);
    Floats expected;
    for (std::size_t i = 0; i < 9; ++i) {
      Floats level;
      for (const Floats& own : group.values) level.push_back(own[i]);
      for (; level.size() > 1; level.resize(level.size() / 2)) {
        for (std::size_t k = 0; k < level.size() / 2; ++k)
          level[k] = rounded(level[2 * k] + level[2 * k + 1], element);
      }
      expected.push_back(level[0]);
    }
    for (const Bytes& result : group.run()) CHECK(result == packed(expected, element));
  }
}

TEST_CASE("collective bits: everybody has the same ones after every AllReduce") {
  for (const Element element : {Element::kFp32, Element::kBf16, Element::kFp8}) {
    for (const Axes& axes : {Axes{8}, Axes{4, 4}, Axes{3, 5}, Axes{2, 2, 4}}) {
      Problem problem;
      problem.ranks = 1;
      for (const unsigned size : axes) problem.ranks *= size;
      for (const std::string& name : algorithms_for(problem, axes)) {
        // A number of elements that no number of chunks divides.
        const std::vector<Bytes> results =
            group_of(name, Operation::kAllReduce, axes, element, 101, false).run();
        CAPTURE(name, axes);
        for (const Bytes& result : results) CHECK(result == results[0]);
        CHECK(results[0].size() == 101 * bytes_of(element));
      }
    }
  }
}

TEST_CASE("collective bits: operands that cannot be") {
  const Group group = group_of("ring", Operation::kAllGather, {4}, Element::kBf16, 8, true);
  std::vector<Bytes> operands(4, Bytes(18));
  CHECK_THROWS_WITH(evaluate(group.schedule, Element::kBf16, operands),
                    "18 bytes of bf16 do not divide among 4 ranks");
  operands[2].resize(16);
  CHECK_THROWS_WITH(evaluate(group.schedule, Element::kBf16, operands),
                    "operands of several sizes");
  operands.pop_back();
  CHECK_THROWS_WITH(evaluate(group.schedule, Element::kBf16, operands), "3 operands, of 4 ranks");
}

// SPDX-License-Identifier: Apache-2.0
// Every algorithm, operation and shape of a group passes the symbolic execution.
#include <catch2/catch.hpp>

#include "sw/base/user_error.h"
#include "sw/collectives/algorithms/algorithms.h"
#include "sw/collectives/verify.h"

using namespace tern;               // NOLINT: a test uses the names of what it tests
using namespace tern::collectives;  // NOLINT

namespace {

const std::vector<Axes> kShapes = {{2},       {3},       {4},       {5},          {7},
                                   {8},       {16},      {2, 2},    {4, 2},       {2, 4},
                                   {3, 5},    {4, 4},    {1, 6},    {6, 1},       {2, 2, 2},
                                   {2, 3, 4}, {4, 4, 4}, {2, 1, 3}, {2, 2, 2, 2}, {36, 4}};

unsigned ranks_of(const Axes& axes) {
  unsigned ranks = 1;
  for (const unsigned size : axes) ranks *= size;
  return ranks;
}

Problem problem_of(Operation operation, unsigned ranks) {
  Problem problem;
  problem.operation = operation;
  problem.ranks = ranks;
  problem.root = ranks / 3;
  if (operation == Operation::kPermute) problem.to = next_of_each(ranks);
  if (operation == Operation::kAllToAllV) problem.counts = routed_counts(ranks, 2 * ranks, 2, 0);
  return problem;
}

}  // namespace

TEST_CASE("collectives: every algorithm does its operations in every shape of a group") {
  for (unsigned number = 0; number < operation_names().size(); ++number) {
    const auto operation = static_cast<Operation>(number);
    for (const Axes& axes : kShapes) {
      const Problem problem = problem_of(operation, ranks_of(axes));
      const std::vector<std::string> names = algorithms_for(problem, axes);
      CHECK_FALSE(names.empty());
      for (const std::string& name : names) {
        CAPTURE(operation_names()[number], axes, name);
        CHECK_NOTHROW(verify(make_schedule(name, problem, axes)));
      }
    }
  }
}

TEST_CASE("collectives: rings, halving and meshes move what their formulas say") {
  const auto moved = [](const std::string& name, Operation operation, const Axes& axes) {
    const Schedule schedule = make_schedule(name, problem_of(operation, ranks_of(axes)), axes);
    return static_cast<double>(verify(schedule).chunks_moved) / schedule.chunks /
           schedule.problem.ranks;
  };
  // Of the whole vector, by each rank: the costs that MPICH states, after Thakur, Rabenseifner and
  // Gropp (2005).
  CHECK(moved("ring", Operation::kAllReduce, {16}) == 2 * 15 / 16.0);
  CHECK(moved("two-rings", Operation::kAllReduce, {12}) == Approx(2 * 11 / 12.0));
  CHECK(moved("halving-doubling", Operation::kAllReduce, {16}) == 2 * 15 / 16.0);
  CHECK(moved("doubling", Operation::kAllReduce, {16}) == 4);
  CHECK(moved("one-step", Operation::kAllReduce, {6}) == 5);
  CHECK(moved("mesh", Operation::kAllReduce, {6}) == Approx(2 * 5 / 6.0));
  CHECK(moved("ring", Operation::kReduceScatter, {5}) == Approx(4 / 5.0));
  CHECK(moved("mesh", Operation::kAllToAll, {8}) == 7 / 8.0);
  CHECK(moved("axes", Operation::kAllReduce, {4, 4}) == 2 * 15 / 16.0);
  CHECK(moved("hierarchical", Operation::kAllReduce, {4, 8}) == 2 * 31 / 32.0);
}

TEST_CASE("collectives: an algorithm that cannot says why") {
  const auto message = [](const std::string& name, Operation operation, const Axes& axes) {
    try {
      make_schedule(name, problem_of(operation, ranks_of(axes)), axes);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  CHECK(message("doubling", Operation::kAllReduce, {6}) ==
        "algorithm doubling: 6 ranks are no power of two");
  CHECK(message("pairwise", Operation::kAllReduce, {4}) ==
        "algorithm pairwise: it does not do all_reduce");
  CHECK(message("axes", Operation::kAllReduce, {4, 1}) ==
        "algorithm axes: it wants a group with two axes at least");
  CHECK(message("rings", Operation::kAllReduce, {4}).substr(0, 42) ==
        "no algorithm 'rings': there are ring, two-");
}

TEST_CASE("collectives: tokens are routed as often as said, and the same for the same seed") {
  constexpr unsigned kRanks = 8, kTokens = 20000;
  const auto counts = routed_counts(kRanks, kTokens, 3, 7);
  CHECK(counts == routed_counts(kRanks, kTokens, 3, 7));
  CHECK(counts != routed_counts(kRanks, kTokens, 3, 8));
  for (const auto& row : counts) {
    unsigned all = 0;
    for (const unsigned count : row) all += count;
    CHECK(all == kTokens);
    CHECK(row[0] == Approx(kTokens * 3 / 10.0).epsilon(0.05));
    CHECK(row[5] == Approx(kTokens / 10.0).epsilon(0.1));
  }
}

TEST_CASE("collectives: counts of a ragged exchange that cannot be") {
  Problem problem;
  problem.operation = Operation::kAllToAllV;
  problem.ranks = 2;
  const auto refusal = [&](std::vector<std::vector<unsigned>> counts) {
    problem.counts = std::move(counts);
    try {
      problem.check();
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  CHECK(refusal({{1, 2}, {3, 4}}) == "none");
  CHECK(refusal({{1, 2}}) == "all_to_all_v: counts of 1 ranks, of 2");
  CHECK(refusal({{1, 2}, {3}}) == "all_to_all_v: counts to 1 ranks, of 2");
  CHECK(refusal({{1, 2}, {3, 65537}}) == "all_to_all_v: 65537 chunks, at most 65536");
  CHECK(refusal({{0, 0}, {0, 0}}) == "all_to_all_v: nobody sends anything");
  problem.counts = {{1, 2}, {3, 4}};
  Schedule schedule = make_schedule("mesh", problem, {2});
  schedule.chunks = 5;
  CHECK_THROWS_WITH(verify(schedule), "mesh: 5 chunks, and a rank sends or gets 7");
}

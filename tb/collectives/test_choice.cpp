// SPDX-License-Identifier: Apache-2.0
// The table of algorithms: what it chooses, and files that cannot be read.
#include <catch2/catch.hpp>

#include "sw/base/user_error.h"
#include "sw/collectives/choice/choice_table.h"
#include "tb/common/temp_folder.h"

using namespace tern;               // NOLINT: test file
using namespace tern::collectives;  // NOLINT

namespace {

using Level = GroupLayout::Level;

Problem all_reduce(unsigned ranks) {
  Problem problem;
  problem.ranks = ranks;
  return problem;
}

const char* const kTable = R"(groups:
- system: a
  axes: [4, 2]
  all_reduce: [{up_to: 100, algorithm: mesh}, {algorithm: ring}]
- axes: [4, 2]
  all_reduce: [{algorithm: two-rings}]
- axes: [64]
  all_reduce: [{up_to: 10, algorithm: doubling}, {algorithm: halving-doubling}]
- torus: true
  axes: [4, 4]
  all_reduce: [{algorithm: axes}]
)";

}  // namespace

TEST_CASE("choice of algorithms: the group of the system, of its axes, the nearest one") {
  const ChoiceTable table = ChoiceTable::parse(kTable, "t.yaml");
  CHECK(table.choose(all_reduce(8), {"a", false, {4, 2}}, 100) == "mesh");
  CHECK(table.choose(all_reduce(8), {"a", false, {4, 2}}, 101) == "ring");
  CHECK(table.choose(all_reduce(8), {"b", false, {4, 2}}, 100) == "two-rings");
  CHECK(table.choose(all_reduce(9), {"b", true, {3, 3}}, 100) == "axes");
  CHECK(table.choose(all_reduce(32), {"b", false, {32}}, 10) == "doubling");
  // No power of two: not by halves. Then what the next group says.
  CHECK(table.choose(all_reduce(48), {"b", false, {48}}, 10) == "two-rings");
  // Nothing is known of the operation.
  Problem problem = all_reduce(8);
  problem.operation = Operation::kAllToAll;
  CHECK(table.choose(problem, {"a", false, {4, 2}}, 100) == "mesh");
}

TEST_CASE("choice of algorithms: a part of a system is like other parts of it") {
  const ChoiceTable table = ChoiceTable::parse(
      "groups:\n"
      "- {system: a, axes: [12], all_reduce: [{algorithm: ring}]}\n"
      "- {system: b, axes: [3], all_reduce: [{algorithm: two-rings}]}\n"
      "- {system: b, axes: [10], all_reduce: [{algorithm: mesh}]}\n",
      "t.yaml");
  CHECK(table.choose(all_reduce(12), {"b", false, {12}}, 100) == "mesh");
  CHECK(table.choose(all_reduce(4), {"b", false, {4}}, 100) == "two-rings");
  // 16 times as many ranks: rather the other system.
  CHECK(table.choose(all_reduce(12), {"c", false, {12}}, 100) == "ring");
}

TEST_CASE("choice of algorithms: groups of several units have rules of their own") {
  const ChoiceTable table = ChoiceTable::parse(
      std::string(kTable) +
          "- units: true\n  axes: [4, 4, 2]\n  all_reduce: [{algorithm: across}]\n",
      "t.yaml");
  CHECK(table.choose(all_reduce(8), {"a", false, {4, 2}, Level::kFlow, true}, 100) == "across");
  CHECK(table.choose(all_reduce(8), {"a", false, {4, 2}}, 100) == "mesh");
}

// Steps of programs take time of their own, however small they are.
TEST_CASE("choice of algorithms: of programs the nearest group of programs") {
  const ChoiceTable table = ChoiceTable::parse(
      std::string(kTable) +
          "- level: cores\n  axes: [2]\n  all_reduce: [{algorithm: axes}]\n"
          "- level: cores\n  axes: [4, 4]\n"
          "  all_reduce: [{up_to: 9, algorithm: halving-doubling}, {algorithm: ring}]\n",
      "t.yaml");
  CHECK(table.choose(all_reduce(8), {"a", false, {4, 2}, Level::kCores}, 100) == "ring");
  CHECK(table.choose(all_reduce(8), {"a", false, {4, 2}, Level::kCores}, 1) == "halving-doubling");
  CHECK(table.choose(all_reduce(8), {"a", false, {4, 2}}, 100) == "mesh");
  // Without such a group, that of the network.
  CHECK(ChoiceTable::parse(kTable, "t.yaml")
            .choose(all_reduce(8), {"a", false, {4, 2}, Level::kCores}, 1) == "mesh");
  CHECK_THROWS_AS(
      ChoiceTable::parse("groups: [{level: chips, axes: [2], all_reduce: []}]", "t.yaml"),
      UserError);
}

TEST_CASE("choice of algorithms: of this level of a network rather than of the other one") {
  const ChoiceTable table = ChoiceTable::parse(
      "groups:\n"
      "- {system: a, axes: [4, 2], all_reduce: [{algorithm: ring}]}\n"
      "- {system: a, axes: [4, 2], level: packet, all_reduce: [{algorithm: two-rings}]}\n"
      "- {system: a, axes: [4, 4], all_reduce: [{algorithm: mesh}]}\n"
      "- {system: a, axes: [4, 8], level: packet, all_reduce: [{algorithm: one-step}]}\n",
      "t.yaml");
  const auto found = [&](const Axes& axes, Level level) {
    unsigned ranks = 1;
    for (const Axis& axis : axes) ranks *= static_cast<unsigned>(axis);
    return *table.find(all_reduce(ranks), {"a", false, axes, level}, 1);
  };
  CHECK(found({4, 2}, Level::kFlow).algorithm == "ring");
  CHECK(found({4, 2}, Level::kFlow).like.empty());
  CHECK(found({4, 2}, Level::kPacket).algorithm == "two-rings");
  CHECK(found({4, 2}, Level::kPacket).like.empty());
  // Rather the other level than another group.
  CHECK(found({4, 4}, Level::kPacket).algorithm == "mesh");
  CHECK(found({4, 4}, Level::kPacket).like == "4x4 of a at level flow");
  CHECK(found({4, 8}, Level::kFlow).like == "4x8 of a at level packet");
  // A group that is not there: of the same level, if they are as near.
  CHECK(found({2, 2}, Level::kPacket).algorithm == "two-rings");
  CHECK(found({2, 2}, Level::kPacket).like == "4x2 of a");
}

TEST_CASE("choice of algorithms: the table of the binary knows every operation") {
  for (unsigned op = 0; op < operation_names().size(); ++op) {
    Problem problem;
    problem.operation = static_cast<Operation>(op);
    problem.ranks = 16;
    problem.to = next_of_each(16);
    problem.counts = routed_counts(16, 32, 1, 0);
    const GroupLayout group{"trn2-nl16", true, {4, 4}};
    for (const std::uint64_t bytes : {1u << 10, 1u << 20, 1u << 30}) {
      const std::string name = ChoiceTable::builtin().choose(problem, group, bytes);
      CHECK(make_schedule(name, problem, group.axes).name == name);
    }
  }
}

TEST_CASE("choice of algorithms: beyond the last size, and nothing for an operation") {
  const ChoiceTable table = ChoiceTable::parse(
      "groups:\n- axes: [4, 2]\n  all_reduce: [{up_to: 9, algorithm: mesh},"
      " {up_to: 99, algorithm: axes}]\n",
      "t.yaml");
  const GroupLayout group{"a", false, {4, 2}};
  CHECK(table.choose(all_reduce(8), group, 9) == "mesh");
  CHECK(table.choose(all_reduce(8), group, 1000) == "axes");
  Problem gather = all_reduce(8);
  gather.operation = Operation::kAllGather;
  CHECK_FALSE(table.find(gather, group, 9).has_value());
  CHECK(table.choose(gather, group, 9) == "ring");
}

TEST_CASE("choice of algorithms: which sizes of a group were measured") {
  const ChoiceTable table = ChoiceTable::parse(
      "groups:\n"
      "- {system: a, axes: [4], sizes: [1024, 4096], all_reduce: [{algorithm: ring}]}\n"
      "- {system: b, axes: [4], all_reduce: [{algorithm: mesh}]}\n",
      "t.yaml");
  const auto some = table.find(all_reduce(4), {"a", false, {4}}, 8192);
  REQUIRE(some);
  CHECK((some->algorithm == "ring" && some->first == 1024 && some->last == 4096));
  const auto all = table.find(all_reduce(4), {"b", false, {4}}, 8192);
  REQUIRE(all);
  CHECK((all->first == 0 && all->last == UINT64_MAX));
}

TEST_CASE("choice of algorithms: a bad table is one line") {
  const auto refusal = [](const std::string& text) {
    try {
      ChoiceTable::parse(text, "t.yaml");
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  using Catch::Contains;
  CHECK_THAT(refusal("groups: []"), Contains("t.yaml:1") && Contains("one group at least"));
  CHECK_THAT(refusal("groups: [{axes: [2000]}]"), Contains("from 1 to 1024"));
  CHECK_THAT(refusal("groups: [{axes: [64, 64]}]"), Contains("1024 ranks at most"));
  CHECK_THAT(refusal("groups: [{axes: [4], all_reduce: [{algorithm: rings}]}]"), Contains("rings"));
  CHECK_THAT(refusal("groups: [{axes: [4], all_reduce: [{algorithm: ring}, {algorithm: mesh}]}]"),
             Contains("sizes that rise"));
  CHECK_THAT(refusal("groups: [{axes: [4], all_reduced: []}]"), Contains("all_reduced"));
  CHECK_THAT(refusal("groups: [{axes: [4], all_reduce: []}]"), Contains("one algorithm at least"));
  CHECK_THAT(refusal("groups: [{axes: [4], all_reduce: [{algorithm: pairwise}]}]"),
             Contains("t.yaml:1") && Contains("pairwise"));
  CHECK_THAT(refusal("groups: [{axes: [4], sizes: [1024]}]"), Contains("first and the last size"));
  CHECK_THAT(refusal("groups: [{axes: [4], sizes: [1024, 4]}]"), Contains("t.yaml:1"));
  CHECK_THAT(refusal("groups: [{axes: [4], system: " + std::string(256, 'a') + "}]"),
             Contains("at most 255 characters"));
  tb::TempFolder folder;
  CHECK_THROWS_WITH(ChoiceTable::load(folder.path("none.yaml")), Contains("none.yaml"));
}

// SPDX-License-Identifier: Apache-2.0
// Reading of plans, and of what they name.
#include <catch2/catch.hpp>

#include "sw/base/user_error.h"
#include "tb/testplan/example.h"

using namespace tern::testplan;  // NOLINT: a test uses the names of what it tests
using tern::tb::changed;

namespace {

void refused(const std::string& text, const std::string& message) {
  CHECK_THROWS_WITH(parse_plan(text, "p.yaml"), Catch::Contains(message));
  CHECK_THROWS_AS(parse_plan(text, "p.yaml"), tern::UserError);
}

}  // namespace

TEST_CASE("testplan: a plan is read with the line of each word") {
  const Plan plan = parse_plan(tern::tb::kPlan, "tb/adder/testplan.yaml");
  CHECK(plan.folder == "tb/adder");
  CHECK(plan.block.text == "Adder");
  REQUIRE(plan.features.size() == 2);
  CHECK(plan.features[0].name == "sums");
  CHECK(plan.features[0].intent == "Every pair is added.");
  CHECK(plan.features[0].faults.at(0).text == "a carry is lost");
  CHECK(plan.features[1].where == "tb/adder/testplan.yaml:9");
  CHECK(plan.features[1].tests.at(1).where == "tb/adder/testplan.yaml:11");
}

TEST_CASE("testplan: malformed YAML, unknown and missing keys are one line with file and line") {
  refused(changed("  intent: The sum is 0.", "  intent: [The sum"), "p.yaml:");
  refused(changed("intent: The", "intend: The"), "p.yaml:9");
  refused(changed("  faults", "  tiers"), "p.yaml:8: key 'features[0].tiers': unknown key");
  refused(changed("block: Adder\n", ""), "key 'block': missing");
  refused(changed("tests: [\"test_adder:sums\"]", "tests: test_adder"), "p.yaml:7");
}

TEST_CASE("testplan: a star in a name stands for any characters") {
  CHECK(fits("a b", "a b"));
  CHECK_FALSE(fits("a b", "a b c"));
  CHECK(fits("a *", "a b c"));
  CHECK(fits("*b*", "a b c"));
  CHECK(fits("a*c", "ac"));
  CHECK_FALSE(fits("a*c", "a b"));
}

TEST_CASE("testplan: tests are cases with RTL, other cases, or tools") {
  const Tree tree = tern::tb::tree_of(tern::tb::kPlan);
  REQUIRE(tree.tests.size() == 4);
  CHECK(tree.tests[1].kind == Test::Kind::kBench);
  CHECK(tree.tests[1].tier == "full");
  CHECK(tree.tests[1].folder == "tb/adder");
  CHECK(tree.tests[2].kind == Test::Kind::kProgram);
  CHECK(tree.tests[3].kind == Test::Kind::kTool);
  REQUIRE(tree.faults.size() == 1);
  CHECK(tree.faults[0].module == "adder/adder");
  CHECK(tree.faults[0].where == "adder.toml:2");
}

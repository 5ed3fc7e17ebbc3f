// SPDX-License-Identifier: Apache-2.0
// Every fault that a plan can have, one at a time.
#include <catch2/catch.hpp>

#include "tb/testplan/check.h"
#include "tb/testplan/example.h"

using namespace tern::testplan;  // NOLINT: a test uses the names of what it tests
using tern::tb::changed;
using tern::tb::tree_of;

namespace {

using Lines = std::vector<std::string>;
const std::string kFile = "tb/adder/testplan.yaml";

Lines checked(const std::string& text) {
  return check(tree_of(text));
}

}  // namespace

TEST_CASE("testplan check: silent on a complete plan") {
  CHECK(checked(tern::tb::kPlan).empty());
}

TEST_CASE("testplan check: a feature without test") {
  CHECK(checked(std::string(tern::tb::kPlan) + "- feature: carry\n  intent: It is added.\n") ==
        Lines{kFile + ":12: feature 'carry' has no test"});
  CHECK(checked(std::string(tern::tb::kPlan) + "- feature: carry\n  intent: x\n  tests: []\n") ==
        Lines{kFile + ":12: feature 'carry' has no test"});
}

TEST_CASE("testplan check: a name that fits no test") {
  CHECK(checked(
            changed("\"rtl: Yosys reads adder\"", "\"rtl: Yosys reads adder\", test_adder:sum")) ==
        Lines{kFile + ":11: feature 'reset': no test is named 'test_adder:sum', did you mean "
                      "'test_adder:sums'?"});
  CHECK(checked(changed("\"rtl: Yosys reads adder\"", "\"rtl: Yosys reads adder\", \"x*\"")) ==
        Lines{kFile + ":11: feature 'reset': no test is named 'x*'"});
}

TEST_CASE("testplan check: a feature with tests of the model only") {
  CHECK(checked(std::string(tern::tb::kPlan) +
                "- feature: carry\n  intent: x\n  tests: [\"test_adder_model:sums\"]\n") ==
        Lines{kFile + ":12: feature 'carry' has only tests that contain no RTL"});
}

TEST_CASE("testplan check: two features of one name") {
  CHECK(checked(changed("feature: reset", "feature: sums")) ==
        Lines{kFile + ":9: feature 'sums' is already at " + kFile + ":5"});
}

TEST_CASE("testplan check: a test of RTL in no feature") {
  CHECK(checked(changed("\"test_adder:reset *\", ", "")) ==
        Lines{kFile + ":1: test 'test_adder:reset 1' is in no feature"});
  CHECK(
      checked(changed(", \"rtl: Yosys reads adder\"", "")) ==
      Lines{"docs/testplan.md:1: test 'rtl: Yosys reads adder' is in no feature of any testplan"});
}

TEST_CASE("testplan check: a bench of a block without plan") {
  Tree tree = tree_of(tern::tb::kPlan);
  const auto more = parse_tests("smoke\ttest_row:x\nsmoke\ttest_core:x\n",
                                "test_row|tb/adder/row|\ntest_core|tb/core|\n");
  tree.tests.insert(tree.tests.end(), more.begin(), more.end());
  // tb/core tests no block of rtl/.
  CHECK(check(tree) == Lines{"tb/adder/row/testplan.yaml:1: test 'test_row:x' is in no feature"});
}

TEST_CASE("testplan check: modules") {
  CHECK(checked(changed("[adder/*]", "[adder/adder]")) ==
        Lines{"rtl/adder/adder_row.sv:1: no testplan of tb names the module 'adder/adder_row'"});
  CHECK(checked(changed("[adder/*]", "[adder/*, adder/carry]")) ==
        Lines{kFile + ":3: no module rtl/adder/carry.sv"});
}

TEST_CASE("testplan check: faults") {
  CHECK(checked(changed("\"a carry is lost\"", "")) ==
        Lines{"adder.toml:2: fault 'a carry is lost' breaks no feature of any testplan"});
  CHECK(checked(changed("\"a carry is lost\"", "\"a carry is lost\", \"a sum is lost\"")) ==
        Lines{kFile + ":8: no fault of scripts/faults is named 'a sum is lost'"});
  Tree tree = tree_of(tern::tb::kPlan);
  tree.faults[0].module = "shifter/shifter";
  CHECK(check(tree) == Lines{kFile + ":8: fault 'a carry is lost' is in rtl/shifter/shifter.sv, "
                                     "which the plan does not name"});
}

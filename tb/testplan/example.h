// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tb/testplan/registry.h"

namespace tern::tb {

inline const char* const kPlan = R"(block: Adder
contract: [rtl/adder/README.md]
rtl: [adder/*]
features:
- feature: sums
  intent: Every pair is added.
  tests: ["test_adder:sums"]
  faults: ["a carry is lost"]
- feature: reset
  intent: The sum is 0.
  tests: ["test_adder:reset *", "rtl: Yosys reads adder"]
)";

// A block with one plan, `text`, two modules, four tests and a fault.
inline testplan::Tree tree_of(const std::string& text) {
  testplan::Tree tree;
  tree.plans = {testplan::parse_plan(text, "tb/adder/testplan.yaml")};
  tree.tests = testplan::parse_tests(
      "smoke\ttest_adder:sums\nfull\ttest_adder:reset 1\nsmoke\ttest_adder_model:sums\n"
      "smoke\trtl: Yosys reads adder\n",
      "test_adder|tb/adder|\n");
  tree.faults = testplan::parse_faults(
      "[[fault]]\nname = \"a carry is lost\"\nfile = \"adder/adder.sv\"\n", "adder.toml");
  tree.modules = {"adder/adder", "adder/adder_row"};
  return tree;
}

// kPlan with `from` replaced by `to`.
inline std::string changed(const std::string& from, const std::string& to) {
  std::string text = kPlan;
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace tern::tb

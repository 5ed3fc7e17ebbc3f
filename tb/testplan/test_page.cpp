// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tb/testplan/example.h"
#include "tb/testplan/page.h"

using Catch::Contains;
using tern::tb::changed;
using tern::tb::tree_of;

TEST_CASE("testplan page: counts, and a row for each feature with the tiers of its tests") {
  const std::string page = tern::testplan::page(tree_of(tern::tb::kPlan));
  CHECK_THAT(page, Contains("| [Adder](#adder) | 2 | 3 | 2 | 1 |\n"));
  CHECK_THAT(page, Contains("\n## Adder\n"));
  CHECK_THAT(page, Contains("| sums | Every pair is added. | smoke: `test_adder:sums` | a carry is "
                            "lost |\n"));
  CHECK_THAT(page, Contains("| reset | The sum is 0. | full: `test_adder:reset *` (1 test)<br>"
                            "smoke: `rtl: Yosys reads adder` |  |\n"));
}

TEST_CASE("testplan page: a bar does not end a cell") {
  const std::string page =
      tern::testplan::page(tree_of(changed("Every pair is added.", "Every a | b.")));
  CHECK_THAT(page, Contains("| sums | Every a \\| b. |"));
}

TEST_CASE("testplan page: the line in which it is stale") {
  CHECK(tern::testplan::stale_line("a\nb\n", "a\nb\n") == 0);
  CHECK(tern::testplan::stale_line("a\nb\n", "a\nc\n") == 2);
  CHECK(tern::testplan::stale_line("", "a\n") == 1);
  CHECK(tern::testplan::stale_line("a\nb\n", "a\n") == 2);
}

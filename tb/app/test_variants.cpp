// SPDX-License-Identifier: Apache-2.0
// Several chips and values of `tern run`: the runs that result.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sw/app/kinds/variants.h"
#include "sw/base/user_error.h"

namespace tern::app {

namespace {

std::vector<std::string> labels(const std::vector<std::string>& chips,
                                const std::vector<ConfigOverride>& overrides) {
  std::vector<std::string> texts;
  for (const Variant& variant : variants_of(chips, overrides)) texts.push_back(variant.label());
  return texts;
}

}  // namespace

TEST_CASE("variants: one chip and single values are one run") {
  CHECK(labels({"trn3"}, {}) == std::vector<std::string>{"trn3"});
  CHECK(labels({"trn3"}, {{"dma.efficiency", "0.9", ""}}) == std::vector<std::string>{"trn3"});
  // Commas inside brackets belong to the value.
  CHECK(labels({"trn3"}, {{"dma.shares", "[0.6, 0, 0.2, 0.2]", ""}}) ==
        std::vector<std::string>{"trn3"});
}

TEST_CASE("variants: every chip with every combination of values") {
  CHECK(labels({"trn2", "trn3"}, {{"a.b", "1,2", ""}, {"c", "x", ""}, {"d", "[1,2],[3,4]", ""}}) ==
        std::vector<std::string>{"trn2, a.b=1, d=[1,2]", "trn2, a.b=1, d=[3,4]",
                                 "trn2, a.b=2, d=[1,2]", "trn2, a.b=2, d=[3,4]",
                                 "trn3, a.b=1, d=[1,2]", "trn3, a.b=1, d=[3,4]",
                                 "trn3, a.b=2, d=[1,2]", "trn3, a.b=2, d=[3,4]"});
}

TEST_CASE("variants: what cannot be meant is refused") {
  using Catch::Contains;
  CHECK_THROWS_WITH(labels({"trn2", "trn2"}, {}), Contains("--chip trn2: given twice"));
  CHECK_THROWS_WITH(labels({"trn3"}, {{"a", "1,,2", ""}}), Contains("between commas"));
  CHECK_THROWS_WITH(labels({"trn3"}, {{"a", "1,", ""}}), Contains("between commas"));
  CHECK_THROWS_WITH(labels({"trn3"}, {{"a", "1,2,1", ""}}), Contains("value 1 is given twice"));
  const std::string many = "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17";
  CHECK_THROWS_WITH(labels({"trn3"}, {{"a", many, ""}, {"b", many, ""}}),
                    Contains("more than 256"));
}

}  // namespace tern::app

// SPDX-License-Identifier: Apache-2.0
// The attention kernel on the chip against its FP64 reference.
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "systemc/config/user_error.h"
#include "tb/common/seed.h"
#include "tb/runtime/case_runner.h"

using namespace tern;  // NOLINT: test file

namespace {

using Case = tb::ParameterList;

void check_cases(tb::Platform& platform, const std::vector<Case>& cases) {
  platform.run([&] {
    for (const Case& parameters : cases) {
      std::string text;
      for (const auto& [name, value] : parameters) text += name + " " + value + " ";
      INFO(text);
      tb::check_kernel(platform, "attention", parameters, tb::test_seed());
    }
  });
}

}  // namespace

TEST_CASE("attention: lengths that are not multiples of anything, every head size") {
  tb::Platform platform;
  check_cases(platform, {{{"seq", "1"}, {"d", "15"}},
                         {{"seq", "100"}, {"d", "64"}, {"heads", "3"}},
                         {{"seq", "128"}, {"d", "100"}},
                         {{"seq", "130"}, {"d", "128"}, {"out", "fp32"}},
                         {{"seq", "700"}, {"d", "33"}},
                         {{"seq", "17"}, {"keys", "1500"}, {"d", "64"}}});
}

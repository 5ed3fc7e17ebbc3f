// SPDX-License-Identifier: Apache-2.0
// What holds for every kernel of the catalogue: it runs with its defaults, and bad parameters are
// refused by name.
#include <catch2/catch.hpp>

#include "sw/base/user_error.h"
#include "tb/runtime/case_runner.h"

using namespace tern;  // NOLINT: test file

TEST_CASE("catalogue: every kernel with its defaults") {
  tb::Platform platform;
  platform.run([&] {
    for (const kernels::Kernel& kernel : kernels::catalogue()) {
      INFO(kernel.name);
      CHECK_FALSE(kernel.summary.empty());
      tb::check_kernel(platform, kernel.name, {});
    }
  });
}

TEST_CASE("catalogue: names and values that do not fit are refused by name") {
  CHECK_THROWS_WITH(kernels::find_kernel("atention"), Catch::Contains("no kernel 'atention'"));
  for (const kernels::Kernel& kernel : kernels::catalogue()) {
    INFO(kernel.name);
    kernels::Parameters values(kernel.parameters);
    CHECK_THROWS_AS(values.set("no such parameter", "1"), UserError);
    for (const kernels::Parameter& parameter : kernel.parameters) {
      kernels::Parameters bad(kernel.parameters);
      bad.set(parameter.name, "-nonsense-", "file.yaml:3");
      const ChipConfig chip = load_chip_config("trn3").chip;
      CHECK_THROWS_WITH(
          kernel.make(bad, chip, 0),
          Catch::StartsWith("file.yaml:3: parameter '" + parameter.name + "': expected"));
    }
  }
}

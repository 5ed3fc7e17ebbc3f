// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/network/network_load.h"

#include "sw/app/kinds/operands.h"

namespace tern::app {

std::optional<ExpectedOutput> load_expected(const config::YamlMap& expect,
                                            const data::Shape& shape) {
  const auto output = expect.find("output");
  if (!output) return std::nullopt;
  ExpectedOutput expected;
  expected.path = output->as_path();
  expected.values = read_matrix(*output, shape).values;
  expected.tolerance = expect.get("tolerance").as_number(0, 1e9);
  return expected;
}

}  // namespace tern::app

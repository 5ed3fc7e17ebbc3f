// SPDX-License-Identifier: Apache-2.0
#include "sw/app/cli/overrides.h"

#include <fmt/format.h>

#include "sw/base/user_error.h"

namespace tern::app {

void add_overrides(CLI::App* command, std::vector<std::string>* settings) {
  command
      ->add_option(
          "--set", *settings,
          "Override one setting of the chip, e.g. dma.doorbell_latency_ns=900 (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

std::vector<ConfigOverride> parse_overrides(const std::vector<std::string>& settings) {
  std::vector<ConfigOverride> overrides;
  for (const auto& text : settings) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UserError(fmt::format("--set: expected KEY=VALUE, got '{}'", text));
    }
    overrides.push_back({text.substr(0, equals), text.substr(equals + 1), "command line"});
  }
  return overrides;
}

}  // namespace tern::app

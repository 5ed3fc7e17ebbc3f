// SPDX-License-Identifier: Apache-2.0
// tern config show | validate
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sw/app/cli/options.h"
#include "sw/app/report/style.h"
#include "sw/base/user_error.h"

namespace tern::app {

int config_show(const ConfigOptions& options) {
  const ResolvedConfig config = load_chip_config(options.chips.front(), options.overrides);
  if (options.json) {
    nlohmann::ordered_json j = nlohmann::ordered_json::array();
    for (const auto& v : config.values) {
      j.push_back(
          {{"key", v.key}, {"value", v.value}, {"source", v.source}, {"comment", v.comment}});
    }
    fmt::print("{}\n", j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return 0;
  }
  std::size_t key = 0, value = 0, source = 0;
  for (const auto& v : config.values) {
    key = std::max(key, v.key.size());
    value = std::max(value, v.value.size());
    source = std::max(source, v.source.size());
  }
  const Style style(coloured_output());
  for (const auto& v : config.values) {
    fmt::print("{:<{}}  {:>{}}  {}{:<{}}  {}{}\n", v.key, key, v.value, value, style.dim, v.source,
               source, v.comment, style.off);
  }
  return 0;
}

int config_validate(const ConfigOptions& options) {
  for (const auto& chip : options.chips) {
    const ResolvedConfig config = load_chip_config(chip, options.overrides);
    fmt::print("{}: valid, {} settings\n", chip, config.values.size());
  }
  return 0;
}

}  // namespace tern::app

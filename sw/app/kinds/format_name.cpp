// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/format_name.h"

#include <algorithm>

namespace tern::app {
namespace {

// The same format: products have a name for each type of element, networks one for MXFP8.
constexpr const char* kSynonyms[][2] = {{"mxfp8", "mxfp8_e4m3fn"}};

}  // namespace

std::string format_of(const config::YamlValue& value, const std::vector<std::string>& known) {
  const std::string given = value.text();
  const auto is_known = [&](const std::string& name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  if (value.is_scalar() && !is_known(given)) {
    for (const auto& [one, other] : kSynonyms) {
      if (given == one && is_known(other)) return other;
      if (given == other && is_known(one)) return one;
    }
  }
  return value.as_choice(known);
}

}  // namespace tern::app

// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/run/span_source.h"

#include <nlohmann/json.hpp>

namespace tern::nki {

std::string span_source(const trace::Span& span) {
  if (span.args.find("\"source\"") == std::string_view::npos) return {};
  const auto args = nlohmann::json::parse(span.args, nullptr, false);
  return args.is_object() ? args.value("source", "") : std::string();
}

}  // namespace tern::nki

// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/run/span_source.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace tern::nki {

SourcePlace place_of(const std::string& source) {
  const char* const all = source.data();
  // The last number between a colon and ": " or the end.
  for (std::size_t colon = source.rfind(':'); colon != std::string::npos && colon > 0;
       colon = source.rfind(':', colon - 1)) {
    unsigned line = 0;
    const auto [stopped, error] = std::from_chars(all + colon + 1, all + source.size(), line);
    if (error != std::errc()) continue;
    const auto after = static_cast<std::size_t>(stopped - all);
    if (after == source.size() || source.compare(after, 2, ": ") == 0)
      return {source.substr(0, colon), line};
  }
  return {source.substr(0, source.find(": ")), 0};
}

std::string span_source(const trace::Span& span) {
  if (span.args.find("\"source\"") == std::string_view::npos) return {};
  const auto args = nlohmann::json::parse(span.args, nullptr, false);
  return args.is_object() ? args.value("source", "") : std::string();
}

}  // namespace tern::nki

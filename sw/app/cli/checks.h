// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

namespace tern::app {

// For options that name a file or a thing: an empty name would mean that there is none.
inline std::string check_name(const std::string& text) {
  return text.empty() ? "expected a name" : "";
}

// The parser itself accepts -1 as 2^64-1 and truncates larger numbers.
inline std::optional<std::uint64_t> whole_number(const std::string& text) {
  const bool hex = text.rfind("0x", 0) == 0;
  const char* digits = hex ? "0123456789abcdefABCDEF" : "0123456789";
  errno = 0;
  const std::uint64_t value = std::strtoull(text.c_str(), nullptr, 0);
  const bool good = text.find_first_not_of(digits, hex ? 2 : 0) == std::string::npos && errno == 0;
  return good ? std::optional(value) : std::nullopt;
}

inline std::string check_count(const std::string& text) {
  if (whole_number(text)) return "";
  return fmt::format("expected a whole number from 0 to 2^64-1, got '{}'", text);
}

}  // namespace tern::app

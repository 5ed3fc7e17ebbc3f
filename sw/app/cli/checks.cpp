// SPDX-License-Identifier: Apache-2.0
#include "sw/app/cli/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>

namespace tern::app {

namespace {

std::optional<std::uint64_t> whole_number(const std::string& text) {
  const bool hex = text.rfind("0x", 0) == 0;
  const char* digits = hex ? "0123456789abcdefABCDEF" : "0123456789";
  errno = 0;
  const std::uint64_t value = std::strtoull(text.c_str(), nullptr, 0);
  const bool good = text.find_first_not_of(digits, hex ? 2 : 0) == std::string::npos && errno == 0;
  return good ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string check_count(const std::string& text) {
  if (whole_number(text)) return "";
  return fmt::format("expected a whole number from 0 to 2^64-1, got '{}'", text);
}

std::function<std::string(const std::string&)> check_from_1_to(std::uint64_t most) {
  return [most](const std::string& text) -> std::string {
    const auto value = whole_number(text);
    if (value && *value >= 1 && *value <= most) return "";
    return fmt::format("expected a whole number from 1 to {}, got '{}'", most, text);
  };
}

std::function<std::string(const std::string&)> one_of(const std::vector<std::string>& words) {
  return [words](const std::string& word) -> std::string {
    if (std::find(words.begin(), words.end(), word) != words.end()) return "";
    return fmt::format("expected {}, got '{}'", fmt::join(words, ", "), word);
  };
}

}  // namespace tern::app

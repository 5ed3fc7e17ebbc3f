// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tern::app {

// For options that name a file or a thing: an empty name would mean that there is none.
inline std::string check_name(const std::string& text) {
  return text.empty() ? "expected a name" : "";
}

// Whole numbers, hexadecimal too. The parser itself accepts -1 as 2^64-1 and truncates larger ones.
std::string check_count(const std::string& text);
std::function<std::string(const std::string&)> check_from_1_to(std::uint64_t most);
std::function<std::string(const std::string&)> one_of(const std::vector<std::string>& words);

}  // namespace tern::app

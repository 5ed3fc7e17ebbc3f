// SPDX-License-Identifier: Apache-2.0
#include "sw/app/host/size_option.h"

#include <fmt/format.h>

#include <utility>

#include "sw/base/user_error.h"

namespace tern::app {

namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 40;

}  // namespace

std::uint64_t size_option(const std::string& option, const std::string& text) {
  std::uint64_t value = 0;
  std::size_t used = 0;
  for (; used < text.size() && text[used] >= '0' && text[used] <= '9' && value <= kMost; ++used)
    value = value * 10 + static_cast<std::uint64_t>(text[used] - '0');
  const std::string unit = text.substr(used);
  const unsigned shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
  if (used == 0 || value > kMost >> shift || (shift == 0 && !unit.empty()))
    throw UserError(
        fmt::format("{}: expected a number up to 1024G, as 4096 or 64K, got '{}'", option, text));
  return value << shift;
}

std::string size_text(std::uint64_t bytes) {
  for (const auto& [shift, unit] : {std::pair(30, "G"), {20, "M"}, {10, "K"}}) {
    if (bytes != 0 && bytes % (std::uint64_t{1} << shift) == 0)
      return fmt::format("{}{}", bytes >> shift, unit);
  }
  return std::to_string(bytes);
}

}  // namespace tern::app

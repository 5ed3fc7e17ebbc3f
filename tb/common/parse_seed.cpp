// SPDX-License-Identifier: Apache-2.0
#include "tb/common/parse_seed.h"

#include <charconv>

namespace tern::tb {

std::optional<std::uint64_t> parse_seed(std::string_view text) {
  const bool hex = text.substr(0, 2) == "0x";
  if (hex) text.remove_prefix(2);
  std::uint64_t seed = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, seed, hex ? 16 : 10);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return seed;
}

}  // namespace tern::tb

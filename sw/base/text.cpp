// SPDX-License-Identifier: Apache-2.0
#include "sw/base/text.h"

#include <fmt/format.h>

#include <cstdio>

namespace tern::base {

std::string printable(std::string_view text) {
  constexpr std::size_t kMax = 40;
  std::string out = "'";
  for (const char c : text.substr(0, kMax)) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out + (text.size() > kMax ? "...'" : "'");
}

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void to_stderr(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}

std::string hex(std::uint64_t value) {
  return fmt::format("{:#x}", value);
}

std::string hex_bits(std::uint32_t bits, unsigned digits) {
  return fmt::format("0x{:0{}X}", bits, digits);
}

}  // namespace tern::base

// SPDX-License-Identifier: Apache-2.0
#include "sw/base/text.h"

#include <fmt/format.h>

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

}  // namespace tern::base

// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/comparison.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sw/app/report/text.h"

namespace tern::app {

Line line_of(const Comparison& c) {
  std::string text = fmt::format("{}: {} of {} words equal", c.what,
                                 grouped(c.words - c.mismatches), grouped(c.words));
  if (c.mismatches > 0) text += "; first: " + c.first_difference;
  return {"bit-exact", text, c.mismatches == 0};
}

nlohmann::ordered_json json_of(const Comparison& c) {
  return {{"what", c.what},
          {"words", c.words},
          {"mismatches", c.mismatches},
          {"first_difference", c.first_difference}};
}

Comparison compare(const Place& place, const std::string& what, const std::vector<std::uint32_t>& a,
                   const std::vector<std::uint32_t>& b) {
  Comparison c;
  c.what = what;
  c.words = a.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (c.mismatches++ == 0) {
      c.first_difference = fmt::format("{} = 0x{:08x}, expected 0x{:08x}", place(i), a[i], b[i]);
    }
  }
  return c;
}

}  // namespace tern::app

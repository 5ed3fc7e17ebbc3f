// SPDX-License-Identifier: Apache-2.0
#include "tb/common/seed.h"

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>

#include "tb/common/parse_seed.h"

namespace tern::tb {

std::uint64_t test_seed() {
  static const std::uint64_t seed = [] {
    const char* text = std::getenv("TERN_SEED");
    if (text == nullptr) return std::uint64_t{0};
    const std::optional<std::uint64_t> parsed = parse_seed(text);
    if (!parsed) {
      // Another seed than the one that was asked for would repeat nothing.
      fmt::print(stderr, "TERN_SEED='{}': expected a whole number below 2^64\n", text);
      std::exit(2);
    }
    return *parsed;
  }();
  return seed;
}

}  // namespace tern::tb

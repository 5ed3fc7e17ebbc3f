// SPDX-License-Identifier: Apache-2.0
#include "tb/common/seed.h"

#include <cstdlib>

namespace tern::tb {

std::uint64_t test_seed() {
  static const std::uint64_t seed = [] {
    const char* text = std::getenv("TERN_SEED");
    return text != nullptr ? std::uint64_t{std::strtoull(text, nullptr, 0)} : 0;
  }();
  return seed;
}

}  // namespace tern::tb

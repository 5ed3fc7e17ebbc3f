// SPDX-License-Identifier: Apache-2.0
#include "tb/common/seed.h"

#include <cstdio>
#include <cstdlib>

namespace tern::tb {

std::uint64_t test_seed() {
  static const std::uint64_t seed = [] {
    const char* text = std::getenv("TERN_SEED");
    const std::uint64_t value = text != nullptr ? std::strtoull(text, nullptr, 0) : 0;
    std::printf("random seed %llu (set TERN_SEED to change it)\n",
                static_cast<unsigned long long>(value));
    return value;
  }();
  return seed;
}

}  // namespace tern::tb

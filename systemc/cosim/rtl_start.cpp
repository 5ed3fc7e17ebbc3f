// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/rtl_start.h"

#include <cstdlib>

namespace tern::cosim {

StartContext::StartContext() {
  const char* seed = std::getenv("TERN_RTL_SEED");
  if (seed == nullptr) return;
  constexpr int kRandom = 2;
  randReset(kRandom);
  randSeed(static_cast<int>(std::strtol(seed, nullptr, 10)));
}

}  // namespace tern::cosim

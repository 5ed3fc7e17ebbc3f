// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/rtl_start.h"

#include <cstdlib>
#include <string_view>

namespace tern::cosim {

StartContext::StartContext() {
  const char* seed = std::getenv("TERN_RTL_SEED");
  if (seed == nullptr) return;
  random_ = true;
  constexpr int kOnes = 1, kRandom = 2;
  const bool ones = std::string_view(seed) == "ones";
  randReset(ones ? kOnes : kRandom);
  if (!ones) randSeed(static_cast<int>(std::strtol(seed, nullptr, 10)));
}

}  // namespace tern::cosim

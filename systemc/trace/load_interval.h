// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern::trace {

// The counters of a resource of the network ("busy", "waiting") are of one interval each.
constexpr std::uint64_t kLoadIntervalFs = 1'000'000'000;  // 1 us

}  // namespace tern::trace

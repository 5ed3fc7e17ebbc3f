// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern::tb {

// The seed of this run's random tests: environment variable TERN_SEED, 0 unless set. Printed once
// per process.
std::uint64_t test_seed();

}  // namespace tern::tb

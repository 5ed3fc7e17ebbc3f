// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern::tb {

// The seed of this run's random tests: environment variable TERN_SEED, 0 unless set. A test
// that fails prints it.
std::uint64_t test_seed();

}  // namespace tern::tb

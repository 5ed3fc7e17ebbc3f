// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/collectives/schedule.h"

namespace tern::collectives {

struct Verified {
  std::uint64_t steps = 0, puts = 0;
  std::uint64_t chunks_moved = 0;  // from rank to rank
  std::uint64_t chunks_added = 0;
};

// Executes a schedule with symbols for data. Throws UserError with rank, stream and step, unless
// - every step is inside of its buffers, and no wait is forever;
// - any two puts of which one changes what the other one reads or writes are ordered by waits, so
//   that bits do not depend on times;
// - each rank ends with the result of the operation: every contribution once, and waited for.
Verified verify(const Schedule& schedule);

}  // namespace tern::collectives

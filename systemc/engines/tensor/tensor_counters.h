// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern {

// The counters of a tensor datapath since its reset (rtl/tensor/README.md), in cycles of its clock.
// Rejected commands count as errors and nowhere else.
struct TensorCounters {
  std::uint64_t busy_cycles = 0;     // with at least one command accepted and not yet retired
  std::uint64_t load_commands = 0;   // a Transpose too
  std::uint64_t move_commands = 0;   // multiplies
  std::uint64_t moving_columns = 0;  // streamed: the sum of N, one cycle each
  std::uint64_t macs = 0;            // the sum of N * K * M, times the products of the mode
  std::uint64_t weight_stalls = 0;   // in which a multiply lacked only its weights
  std::uint64_t psum_conflicts = 0;  // in which a PSUM transfer had to wait for the array
  std::uint64_t errors = 0;
};

}  // namespace tern

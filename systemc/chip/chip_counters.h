// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "systemc/chip/chip.h"

namespace tern {

// What a chip has done so far, collected from its parts. The difference of two covers the time
// between. Instructions of a program: runtime::RunResult.
struct ChipCounters {
  struct Core {
    std::uint64_t tensor_busy_cycles = 0;  // with a command accepted and not yet retired
    std::uint64_t tensor_columns = 0;      // moving columns streamed
    std::uint64_t macs = 0;
    std::uint64_t dma_packets = 0, dma_descriptors = 0, dma_bytes = 0;  // of its 16 engines
  };
  std::vector<Core> cores;
  std::uint64_t hbm_reads = 0, hbm_writes = 0;            // requests of all stacks
  std::uint64_t hbm_read_bytes = 0, hbm_write_bytes = 0;  // requested bytes
  // Whole bursts on the buses, including those of writes that still wait in a queue.
  std::uint64_t hbm_bus_read_bytes = 0, hbm_bus_write_bytes = 0;
  std::uint64_t hbm_row_hits = 0, hbm_row_misses = 0, hbm_row_conflicts = 0, hbm_refreshes = 0;
  std::uint64_t hbm_bus_bytes() const { return hbm_bus_read_bytes + hbm_bus_write_bytes; }
  std::uint64_t host_read_bytes = 0, host_write_bytes = 0;  // over the host link

  ChipCounters& operator-=(const ChipCounters& before);
};

ChipCounters chip_counters(Chip& chip);

}  // namespace tern

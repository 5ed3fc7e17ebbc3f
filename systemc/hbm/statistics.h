// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern::hbm {

// Of one pseudo-channel, or a sum of several. Pieces are the parts into which requests are cut.
struct ChannelCounters {
  std::uint64_t read_pieces = 0, write_pieces = 0;
  std::uint64_t read_bytes = 0, write_bytes = 0;                  // whole bursts on the bus
  std::uint64_t row_hits = 0, row_misses = 0, row_conflicts = 0;  // closed; another row open
  std::uint64_t refreshes = 0;                                    // REFpb or REFab
  std::uint64_t turnarounds = 0;                                  // from reads to writes or back
  std::uint64_t busy_ticks = 0;                                   // of the data bus

  void add(const ChannelCounters& o) {
    read_pieces += o.read_pieces;
    write_pieces += o.write_pieces;
    read_bytes += o.read_bytes;
    write_bytes += o.write_bytes;
    row_hits += o.row_hits;
    row_misses += o.row_misses;
    row_conflicts += o.row_conflicts;
    refreshes += o.refreshes;
    turnarounds += o.turnarounds;
    busy_ticks += o.busy_ticks;
  }
};

}  // namespace tern::hbm

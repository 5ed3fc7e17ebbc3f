// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sw/collectives/schedule.h"
#include "sw/system/system_config.h"
#include "systemc/fabric/transport.h"

// Collective cores that run a schedule over a network between chips, in time. No SystemC.
namespace tern::collectives {

using fabric::Time;

// Of a collective core, in time.
struct CoreTimes {
  Time step = 0;          // before each step
  Time wake = 0;          // from what a core waits for until it goes on; and before its first step
  double local_byte = 0;  // femtoseconds: a byte that a core copies or adds on its own chip
};
CoreTimes core_times_of(const system::CollectivesConfig& config);

struct Placed {
  std::vector<std::uint32_t> chips;  // of each rank; several of a chip are cores of it
  std::uint64_t bytes = 0;           // of `data`, or of `input`
  // The most streams of the network that a put is divided among. If its stream has several target
  // ranks, small ones have fewer.
  unsigned planes = 1;
  // Equal ways between two chips, and the first of them that are used, the others being spare: as
  // many streams at most, each on another way. 0: not known.
  struct Ways {
    std::uint32_t all = 0, used = 0;
  };
  using WaysOf = std::function<Ways(std::uint32_t source, std::uint32_t target)>;
  WaysOf ways = {};
  std::uint8_t traffic_class = 1;
};

struct RunResult {
  Time time = 0;            // until the last rank has ended
  Time first = 0;           // until the first one has
  std::uint64_t puts = 0;   // from chip to chip
  std::uint64_t bytes = 0;  // of these
  std::uint64_t lost = 0;   // transfers: no way was left, and nobody ends who waits for them
};

// The puts of a schedule as transfers, in no order: what it asks of the links, whatever the times.
std::vector<fabric::Transfer> transfers_of(const Schedule& schedule, const Placed& placed);

// Seconds, if all puts went one after the other over a link of this rate, without headers of
// packets: nothing a run does together takes longer.
double longest_run(const Schedule& schedule, const Placed& placed, const CoreTimes& times,
                   double gb_per_s);

// The schedule must be verified. Everybody begins at time 0. progress: of the steps.
RunResult run_schedule(const Schedule& schedule, const Placed& placed, const CoreTimes& times,
                       fabric::Transport& transport,
                       const std::function<void(double)>& progress = {});

}  // namespace tern::collectives

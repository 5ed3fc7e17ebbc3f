// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "systemc/fabric/packet/routes.h"
#include "systemc/fabric/packet/shape.h"
#include "systemc/fabric/transport.h"

namespace tern::fabric {

// What traffic has cost at a level.
struct TrafficResult {
  std::uint64_t transfers = 0, lost = 0, bytes = 0;
  Time time = 0;                     // of the last arrival
  std::vector<Time> latencies;       // sorted
  Time latency(double share) const;  // 0.5: the median; of none 0
};

// Sends all at time 0, and waits for the last. progress: shares of the transfers that have come.
TrafficResult run_traffic(Transport& transport, const std::vector<Transfer>& transfers,
                          const std::function<void(double)>& progress = {});

// Of every channel how long it is busy with all transfers, whatever the level: the longest is a
// bound of the time.
std::vector<Time> channel_times(const packet::Shape& shape, packet::Routes& routes,
                                const std::vector<Transfer>& transfers);

}  // namespace tern::fabric

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "systemc/fabric/packet/routes.h"
#include "systemc/fabric/packet/shape.h"
#include "systemc/fabric/traffic/mix.h"
#include "systemc/fabric/transport.h"

namespace tern::fabric {

// How long transfers took from being sent to their last byte.
struct Latencies {
  std::vector<Time> sorted;
  std::uint64_t lost = 0;         // those that never arrived
  Time share(double part) const;  // 0.5: the median; of none 0
};

// What traffic has cost at a level.
struct TrafficResult {
  std::uint64_t transfers = 0, lost = 0, bytes = 0;
  Time time = 0;  // of the last arrival
  Latencies all;
  std::array<Latencies, packet::kClasses> of_class;
};

// Sends all, and waits for the last. progress: shares of the transfers that have come.
TrafficResult run_traffic(Transport& transport, const Mix& mix,
                          const std::function<void(double)>& progress = {});
// All at time 0.
TrafficResult run_traffic(Transport& transport, const std::vector<Transfer>& transfers);

// Of every channel how long it is busy with all transfers, whatever the level: the longest is a
// bound of the time.
std::vector<Time> channel_times(const packet::Shape& shape, packet::Routes& routes,
                                const std::vector<Transfer>& transfers);

}  // namespace tern::fabric

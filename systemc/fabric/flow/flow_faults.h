// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "systemc/fabric/faults/fault_state.h"
#include "systemc/fabric/packet/repaired_routes.h"
#include "systemc/fabric/transport.h"

// What a flow level with faults knows beyond one without.
namespace tern::fabric::flow {

// Of one direction of a link, for each byte that it passes.
struct ErrorRates {
  double replayed = 0, corrected = 0;  // expected units
};

struct FaultMode {
  FaultMode(faults::FaultState& fault_state, packet::RepairedRoutes& repaired);

  faults::FaultState& state;
  packet::RepairedRoutes& routes;
  std::uint64_t epoch = 0;  // that all ways are of
  // Time and item, the earliest on top: 2 * fault, + 1 for its end.
  using Event = std::pair<Time, std::uint32_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::vector<std::vector<std::uint32_t>> counted;  // by link: faults that wait for what it carries
  std::vector<double> carried;                      // by fault
  std::vector<bool> due;                            // by fault: has happened, or has its event
  Time crossing = kNever;                           // when the next of them has carried enough
  std::vector<ErrorRates> errors;                   // by channel
  std::vector<ErrorRates> rest;                     // by channel: counts below one

  Time next_time() const {
    return std::min(events.empty() ? kNever : events.top().first, crossing);
  }
  bool waits_for_bytes(std::uint32_t fault) const {
    return !due[fault] && state.script().faults[fault].from == faults::Fault::From::kBytes;
  }
  void count_transfer(const std::vector<std::uint32_t>& channels, Time at);
};

}  // namespace tern::fabric::flow

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "systemc/fabric/faults/fault_state.h"
#include "systemc/fabric/faults/line_errors.h"
#include "systemc/fabric/packet/repaired_routes.h"
#include "systemc/fabric/packet/train.h"
#include "systemc/link/link_timing.h"

// What a network with faults knows beyond one without.
namespace tern::fabric::packet {

// A train between two nodes. Its event is valid at `arrives` only: a flap makes it late, and a
// train that was taken out of the network has none.
struct Flight {
  std::uint32_t channel = kNone;  // kNone: it is in a queue, or there is no such train
  Time start = 0, arrives = kNever;
  std::uint16_t events = 0;  // pending, those that are not valid included
  bool taken_out = false;
};

// How units of one direction of a link are lost.
struct ChannelErrors {
  ChannelErrors() = default;
  ChannelErrors(const faults::FaultState& state, std::uint32_t channel, Time now);

  std::optional<link::LinkTiming> timing;  // none: no errors
  faults::LineErrors errors{0, 0, 0};
  Time replay = 0, retrain = 0;  // what they take of the line
};

struct FaultMode {
  faults::FaultState& state;
  RepairedRoutes& routes;
  std::vector<Flight> flights;        // by train
  std::vector<ChannelErrors> errors;  // by channel
  // By channel: trains that a flap caught on the way, sent again when it is over.
  std::vector<std::vector<std::uint32_t>> caught;
  std::vector<std::vector<std::uint32_t>> counted;  // by link: faults that wait for what it carries
  std::vector<std::uint64_t> carried;               // by fault
  std::uint64_t epoch = 0;                          // that all ways are of
  // Where deliveries are announced: when last trains of transfers land, unless something happens to
  // them before.
  std::set<std::pair<Time, std::uint32_t>> landings;

  Flight& flight(std::uint32_t train) {
    if (flights.size() <= train) flights.resize(train + 1);
    return flights[train];
  }
};

}  // namespace tern::fabric::packet

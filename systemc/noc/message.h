// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace tern::noc {

// A resource on a route and the time from the step before it.
struct Step {
  unsigned resource = 0;
  std::uint64_t latency_fs = 0;
};

struct Path {
  static constexpr unsigned kMaxSteps = 3;  // port, die link, host port
  std::array<Step, kMaxSteps> steps;
  unsigned count = 0;
  std::uint64_t last_latency_fs = 0;  // from the last resource to the end of the route
};

// One message in transit. The sender fills in the first part and keeps it until it is delivered.
struct Message {
  // Which of two messages of one instant comes first: initiator, then number at the initiator.
  // No two messages in transit have the same.
  std::uint64_t order = 0;
  std::uint32_t bytes = 0;
  unsigned traffic_class = 0;
  bool ahead = false;          // may be delivered before its time (Network::run)
  const Path* path = nullptr;  // stays while the message is in transit

 private:
  friend class Network;
  friend class Resource;
  Message* next = nullptr;
  unsigned step = 0;
  std::uint64_t queued_fs = 0;
  std::uint64_t tail_fs = 0;  // when the last byte has left the previous step
};

}  // namespace tern::noc

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "systemc/fabric/packet/train.h"
#include "systemc/fabric/transport.h"

namespace tern::fabric::packet {

// A transfer that has its whole path to itself. Its trains have one size and follow each other
// without waiting, so it is known beforehand when each of them takes each channel.
struct Solo {
  // Of one channel of the path.
  struct Stage {
    Time first = 0;  // when the first train takes it
    Time busy = 0;   // with one train
    Time held = 0;   // from then on until the sender has the credit back
  };
  std::vector<Stage> stages;
  Time interval = 0;  // between trains
  std::uint32_t payload = 0;
  std::uint32_t trains = 0;
  std::uint64_t begun = 0;  // during which advance() of the network

  Time taken(std::size_t stage, std::uint32_t train) const {
    return stages[stage].first + train * interval;
  }
  // When these are over.
  Time end() const { return taken(0, trains); }
  // How many have taken the channel, up to and including `time`.
  std::uint32_t taken_by(std::size_t stage, Time time) const {
    if (time < stages[stage].first) return 0;
    return static_cast<std::uint32_t>(
        std::min<Time>(trains, (time - stages[stage].first) / interval + 1));
  }
};

// Who uses a channel, by its path: the network ends a solo when somebody else comes.
struct ChannelUse {
  std::uint32_t flows = 0;
  std::uint32_t solo =
      UINT32_MAX;  // the flow that has it for itself, and is not simulated by train
};

}  // namespace tern::fabric::packet

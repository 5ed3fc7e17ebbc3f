// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "sw/system/fabric.h"
#include "systemc/fabric/transport.h"

namespace tern::fabric::packet {

inline constexpr unsigned kClasses = 4;

// One direction of a link.
struct Channel {
  std::uint32_t from = 0, to = 0;
  Time flight = 0;       // of a credit
  Time head = 0;         // from a grant to the first bytes behind the receiver
  double byte_fs = 0;    // occupancy by a byte of payload
  double packet_fs = 0;  // and by what comes with a packet
  // Of the receiver, for a class and virtual channel: payload and headers.
  std::uint32_t buffer = 0;
};

// What the network is made of: nodes, chips first, and channels in pairs: the other direction of
// channel c is c ^ 1.
struct Shape {
  std::uint32_t chips = 0;
  std::vector<Time> through;  // of a node: from the receiver of one channel to arbitration
  // From a train's grant until the next one of its queue can ask, the time of a router that looks
  // for its way only now. 0: it has looked before.
  Time restart = 0;
  std::vector<Channel> channels;
  unsigned vcs = 1;  // virtual channels of a class
  std::uint32_t max_payload = 256, train_bytes = 4096, header_bytes = 16;
  // Of transfers that are at least kLong times as long, while no other class has been sent: nothing
  // more urgent waits for them, and there are fewer events. 0: as of all others.
  std::uint32_t long_train_bytes = 0;
  static constexpr std::uint64_t kLong = 256;
  // Simulate also trains that nothing can meet: for tests, the results are the same.
  bool every_train = false;

  std::uint32_t packets(std::uint32_t payload) const {
    return payload == 0 ? 1 : (payload + max_payload - 1) / max_payload;
  }
  // In a receiver's buffer.
  std::uint32_t stored(std::uint32_t payload) const {
    return (payload + 3) / 4 * 4 + packets(payload) * header_bytes;
  }
  Time occupancy(const Channel& channel, std::uint32_t payload) const {
    const std::uint32_t padded = (payload + 3) / 4 * 4;
    return static_cast<Time>(
        std::llround(padded * channel.byte_fs + packets(payload) * channel.packet_fs));
  }
};

// Of a link with so many lanes in use. Its buffer has the size that all lanes need.
Channel channel_of(const system::Fabric& fabric, std::uint32_t channel, unsigned lanes);

// Channel 2 * link goes from the link's end a to b, the next one back.
Shape shape_of(const system::Fabric& fabric, unsigned vcs);

}  // namespace tern::fabric::packet

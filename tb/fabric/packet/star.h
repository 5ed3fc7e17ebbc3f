// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "systemc/fabric/packet/packet_network.h"

namespace tern::tb {

// Chips around one switch. Channels 2 n: chip n to the switch, 2 n + 1: back.
class StarRoutes final : public fabric::packet::Routes {
 public:
  unsigned vcs() const override { return 1; }
  bool path(const fabric::Transfer& t, std::vector<fabric::packet::Hop>* hops) override {
    hops->push_back({2 * t.source, 0, 1});
    hops->push_back({2 * t.target + 1, 0, 1});
    return true;
  }
};

// Trains of one packet without header: a byte of payload takes 1 ps, a link 10 ns, the switch 100.
inline fabric::packet::Shape star(std::uint32_t chips, std::uint32_t train, std::uint32_t buffer) {
  fabric::packet::Shape shape;
  shape.chips = chips;
  shape.through.assign(chips + 1, 20'000'000);
  shape.through[chips] = 100'000'000;
  shape.vcs = 1;
  shape.max_payload = shape.train_bytes = train;
  shape.header_bytes = 0;
  for (std::uint32_t chip = 0; chip < chips; ++chip) {
    fabric::packet::Channel channel;
    channel.from = chip;
    channel.to = chips;
    channel.flight = channel.head = 10'000'000;
    channel.byte_fs = 1000;
    channel.buffer = buffer;
    shape.channels.push_back(channel);
    std::swap(channel.from, channel.to);
    shape.channels.push_back(channel);
  }
  return shape;
}

inline fabric::packet::PacketNetwork star_network(std::uint32_t chips, std::uint32_t train,
                                                  std::uint32_t buffer) {
  return {star(chips, train, buffer), std::make_unique<StarRoutes>()};
}

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/packet/shape.h"

#include <algorithm>

#include "systemc/link/link_timing.h"

namespace tern::fabric::packet {

namespace {
constexpr double kFsPerNs = 1e6;

Time fs(double ns) {
  return static_cast<Time>(std::llround(ns * kFsPerNs));
}

// Of the network between units, which has no credits.
Channel network_channel(const system::Fabric& fabric, Channel channel, double gb_per_s) {
  const system::ScaleOut& network = fabric.config().scale_out;
  const bool from_chip = channel.from < fabric.chips(), to_chip = channel.to < fabric.chips();
  channel.head = fs(network.head_ns(from_chip, to_chip));
  channel.byte_fs = kFsPerNs / gb_per_s;
  // Packets here have the size of its own links.
  channel.packet_fs = fabric.config().link.max_payload * network.header_share() * channel.byte_fs;
  return channel;
}

}  // namespace

Channel channel_of(const system::Fabric& fabric, std::uint32_t number, unsigned lanes) {
  const system::LinkConfig& config = fabric.config().link;
  const system::Link& link = fabric.links()[number / 2];
  Channel channel;
  channel.from = number % 2 == 0 ? link.a : link.b;
  channel.to = link.other(channel.from);
  if (link.medium == system::Medium::kNetwork)
    return network_channel(fabric, channel, link.gb_per_s * lanes / link.lanes);
  const link::LinkTiming timing(config, lanes, fabric.config().lane_gb_per_s, link.medium,
                                channel.from < fabric.chips(), channel.to < fabric.chips());
  channel.flight = fs(timing.flight());
  channel.head = fs(timing.head_latency());
  channel.byte_fs = timing.byte_time() * kFsPerNs;
  channel.packet_fs = timing.packet_time() * kFsPerNs;
  channel.buffer = config.buffer_bytes_per_lane * link.lanes;
  return channel;
}

Shape shape_of(const system::Fabric& fabric, unsigned vcs) {
  const system::LinkConfig& config = fabric.config().link;
  Shape shape;
  shape.chips = fabric.chips();
  shape.vcs = vcs;
  shape.max_payload = config.max_payload;
  shape.train_bytes = config.train_bytes;
  shape.header_bytes = config.header_bytes;
  for (const system::Node& node : fabric.nodes()) {
    shape.through.push_back(fs(system::through_ns(fabric.config(), node.kind)));
  }
  for (std::uint32_t n = 0; n < 2 * fabric.links().size(); ++n) {
    shape.channels.push_back(channel_of(fabric, n, fabric.links()[n / 2].lanes));
    // A train must fit, however narrow the link.
    std::uint32_t& buffer = shape.channels.back().buffer;
    buffer = std::max(buffer, shape.stored(config.train_bytes));
  }
  // Buffers that hold three trains never make a sender wait where they would not for shorter ones.
  constexpr std::uint32_t kMostTrains = 4, kHeld = 3;
  for (std::uint32_t times = kMostTrains; times > 1 && shape.long_train_bytes == 0; times /= 2) {
    const std::uint32_t bytes = times * config.train_bytes;
    if (std::all_of(shape.channels.begin(), shape.channels.end(), [&](const Channel& channel) {
          return channel.buffer >= kHeld * shape.stored(bytes);
        }))
      shape.long_train_bytes = bytes;
  }
  return shape;
}

}  // namespace tern::fabric::packet

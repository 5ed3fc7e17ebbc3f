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
}  // namespace

Shape shape_of(const system::Fabric& fabric, unsigned vcs) {
  const system::LinkConfig& config = fabric.config().link;
  Shape shape;
  shape.chips = fabric.chips();
  shape.vcs = vcs;
  shape.max_payload = config.max_payload;
  shape.train_bytes = config.train_bytes;
  shape.header_bytes = config.header_bytes;
  for (const system::Node& node : fabric.nodes()) {
    const bool chip = node.kind == system::NodeKind::kChip;
    shape.through.push_back(fs(chip ? config.forward_ns : config.switch_ns));
  }
  for (const system::Link& link : fabric.links()) {
    const std::uint32_t ends[] = {link.a, link.b};
    for (const unsigned direction : {0U, 1U}) {
      const std::uint32_t from = ends[direction], to = ends[1 - direction];
      const link::LinkTiming timing(config, link.lanes, fabric.config().lane_gb_per_s, link.medium,
                                    from < shape.chips, to < shape.chips);
      Channel channel;
      channel.from = from;
      channel.to = to;
      channel.flight = fs(timing.flight());
      channel.head = fs(timing.head_latency());
      channel.byte_fs = timing.byte_time() * kFsPerNs;
      channel.packet_fs = timing.packet_time() * kFsPerNs;
      // A train must fit, however narrow the link.
      channel.buffer =
          std::max(config.buffer_bytes_per_lane * link.lanes, shape.stored(config.train_bytes));
      shape.channels.push_back(channel);
    }
  }
  return shape;
}

}  // namespace tern::fabric::packet

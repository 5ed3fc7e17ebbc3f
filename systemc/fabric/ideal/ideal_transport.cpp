// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/ideal/ideal_transport.h"

#include <algorithm>
#include <cmath>

#include "systemc/link/link_timing.h"

namespace tern::fabric {

namespace {

struct LineTime {
  double head_ns, byte_ns, packet_ns;  // packets of the system's own links
};

LineTime time_of(const system::Fabric& fabric, std::uint32_t number, std::uint32_t from) {
  const system::SystemConfig& config = fabric.config();
  const system::Link& link = fabric.links()[number];
  const auto is_chip = [&](std::uint32_t node) { return node < fabric.chips(); };
  if (link.medium == system::Medium::kNetwork) {
    const system::ScaleOut& network = config.scale_out;
    return {network.head_ns(is_chip(from), is_chip(link.other(from))), 1 / link.gb_per_s,
            config.link.max_payload * network.header_share() / link.gb_per_s};
  }
  const link::LinkTiming timing(config.link, link.lanes, config.lane_gb_per_s, link.medium,
                                is_chip(link.a), is_chip(link.b));
  return {timing.head_latency(), timing.byte_time(), timing.packet_time()};
}

std::uint32_t link_between(const system::Fabric& fabric, std::uint32_t a, std::uint32_t b) {
  const auto& links = fabric.links_of(a);
  return *std::find_if(links.begin(), links.end(),
                       [&](std::uint32_t number) { return fabric.links()[number].other(a) == b; });
}

}  // namespace

IdealTransport::IdealTransport(const system::Fabric& fabric) : fabric_(fabric) {
  for (std::uint32_t link = 0; link < fabric.links().size(); ++link) {
    const system::Link& l = fabric.links()[link];
    const double head =
        std::min(time_of(fabric, link, l.a).head_ns, time_of(fabric, link, l.b).head_ns);
    lookahead_ = std::min(lookahead_, static_cast<Time>(std::llround(head * 1e6)));
  }
}

const IdealTransport::Way& IdealTransport::way(std::uint32_t source, std::uint32_t target) {
  const auto known = ways_.find({source, target});
  if (known != ways_.end()) return known->second;
  Way way;
  const system::Routes& routes = routes_.try_emplace(source, fabric_, source).first->second;
  const std::vector<std::uint32_t> path = routes.path(target);
  way.exists = !path.empty();
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const LineTime line = time_of(fabric_, link_between(fabric_, path[i], path[i + 1]), path[i]);
    way.head_ns += line.head_ns;
    way.lines.emplace_back(line.byte_ns, line.packet_ns);
    if (i > 0) way.head_ns += system::through_ns(fabric_.config(), fabric_.nodes()[path[i]].kind);
  }
  return ways_[{source, target}] = std::move(way);
}

Time IdealTransport::latency(std::uint32_t source, std::uint32_t target, std::uint64_t bytes) {
  const Way& taken = way(source, target);
  if (!taken.exists) return kNever;
  const std::uint64_t padded = (bytes + 3) / 4 * 4;
  const auto packets = static_cast<double>(link::packets_of(fabric_.config().link, bytes));
  double longest = 0;
  for (const auto& [byte_ns, packet_ns] : taken.lines)
    longest = std::max(longest, static_cast<double>(padded) * byte_ns + packets * packet_ns);
  return static_cast<Time>(std::llround((taken.head_ns + longest) * 1e6));
}

void IdealTransport::send(const Transfer& transfer, Time now) {
  Pending pending;
  pending.transfer = transfer;
  pending.sent = now;
  pending.number = sent_++;
  const Time time = latency(transfer.source, transfer.target, transfer.bytes);
  pending.lost = time == kNever;
  pending.arrived = pending.lost ? now : now + time;
  Time& last = last_[{transfer.source, transfer.target, transfer.traffic_class, transfer.stream}];
  pending.arrived = last = std::max(last, pending.arrived);
  if (!pending.lost) certain(transfer, now, pending.arrived);
  pending_.push(pending);
}

void IdealTransport::advance(Time until, std::vector<Delivery>& arrived) {
  while (!pending_.empty() && pending_.top().arrived <= until) {
    arrived.push_back(pending_.top());
    pending_.pop();
  }
}

}  // namespace tern::fabric

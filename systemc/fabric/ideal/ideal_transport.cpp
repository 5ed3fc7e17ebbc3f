// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/ideal/ideal_transport.h"

#include <algorithm>
#include <cmath>

#include "sw/system/routing.h"
#include "systemc/link/link_timing.h"

namespace tern::fabric {

namespace {

link::LinkTiming timing_of(const system::Fabric& fabric, std::uint32_t number) {
  const system::Link& link = fabric.links()[number];
  const auto is_chip = [&](std::uint32_t node) { return node < fabric.chips(); };
  return {fabric.config().link, link.lanes,      fabric.config().lane_gb_per_s,
          link.medium,          is_chip(link.a), is_chip(link.b)};
}

std::uint32_t link_between(const system::Fabric& fabric, std::uint32_t a, std::uint32_t b) {
  const auto& links = fabric.links_of(a);
  return *std::find_if(links.begin(), links.end(),
                       [&](std::uint32_t number) { return fabric.links()[number].other(a) == b; });
}

}  // namespace

IdealTransport::IdealTransport(const system::Fabric& fabric) : fabric_(fabric) {
  for (std::uint32_t link = 0; link < fabric.links().size(); ++link) {
    const double head = timing_of(fabric, link).head_latency();
    lookahead_ = std::min(lookahead_, static_cast<Time>(std::llround(head * 1e6)));
  }
}

const IdealTransport::Way& IdealTransport::way(std::uint32_t source, std::uint32_t target) {
  const auto known = ways_.find({source, target});
  if (known != ways_.end()) return known->second;
  Way way;
  const std::vector<std::uint32_t> path = system::Routes(fabric_, source).path(target);
  way.exists = !path.empty();
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    way.links.push_back(link_between(fabric_, path[i], path[i + 1]));
    way.head_ns += timing_of(fabric_, way.links.back()).head_latency();
    if (i == 0) continue;
    const bool chip = path[i] < fabric_.chips();
    way.head_ns += chip ? fabric_.config().link.forward_ns : fabric_.config().link.switch_ns;
  }
  return ways_[{source, target}] = std::move(way);
}

Time IdealTransport::latency(std::uint32_t source, std::uint32_t target, std::uint64_t bytes) {
  const Way& taken = way(source, target);
  if (!taken.exists) return kNever;
  double longest = 0;
  for (const std::uint32_t link : taken.links)
    longest = std::max(longest, timing_of(fabric_, link).occupancy(bytes));
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

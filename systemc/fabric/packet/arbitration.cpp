// SPDX-License-Identifier: Apache-2.0
// What routers of the packet level send next.
#include <algorithm>
#include <iterator>

#include "systemc/fabric/packet/packet_network.h"

namespace tern::fabric::packet {

namespace {
// A class waits for at most so many trains of others (README.md).
constexpr unsigned kMostPassed = 8;
}  // namespace

void PacketNetwork::mark(std::uint32_t node, std::uint32_t number) {
  Router& router = routers_[node];
  Output& output = router.outputs[number];
  if (output.dirty || output.busy || now_ < output.held_until) return;
  output.dirty = true;
  router.dirty.push_back(number);
  if (router.listed) return;
  router.listed = true;
  dirty_routers_.push_back(node);
}

// Outputs choose inputs; an input that several chose takes the next one behind the one it took
// last. The others choose again, until none finds a train.
void PacketNetwork::arbitrate(std::uint32_t node) {
  Router& router = routers_[node];
  std::sort(router.dirty.begin(), router.dirty.end());
  for (;;) {
    grants_.clear();
    for (const std::uint32_t number : router.dirty) {
      if (router.outputs[number].busy) continue;
      const Grant grant = choose(router, number);
      if (grant.input != kNone) grants_.push_back(grant);
    }
    if (grants_.empty()) break;
    const auto distance = [&](const Grant& grant) {
      const auto outputs = static_cast<std::uint32_t>(router.outputs.size());
      return (grant.output + outputs - router.inputs[grant.input].accepted - 1) % outputs;
    };
    std::sort(grants_.begin(), grants_.end(), [&](const Grant& a, const Grant& b) {
      return a.input != b.input ? a.input < b.input : distance(a) < distance(b);
    });
    for (const Grant& grant : grants_) {
      if (router.is_idle(grant.input, shape_.vcs)) take(node, grant);
    }
  }
  for (const std::uint32_t number : router.dirty) {
    Output& output = router.outputs[number];
    output.dirty = false;
    if (!output.busy && output.starved) wake_for_credit(node, number);
  }
  router.dirty.clear();
  router.listed = false;
}

PacketNetwork::Grant PacketNetwork::choose(Router& router, std::uint32_t number) {
  Output& output = router.outputs[number];
  collect_credits(output);
  output.starved = false;
  // A class that was passed over too often goes first.
  for (unsigned c = 0; c < kClasses; ++c) {
    if (output.passed[c] < kMostPassed || output.ready[c].empty()) continue;
    const Grant grant = choose(router, number, c);
    if (grant.input != kNone) return grant;
  }
  for (unsigned c = 0; c < kClasses; ++c) {
    if (output.ready[c].empty()) continue;
    const Grant grant = choose(router, number, c);
    if (grant.input != kNone) return grant;
  }
  return {};
}

PacketNetwork::Grant PacketNetwork::choose(Router& router, std::uint32_t number,
                                           unsigned traffic_class) {
  Output& output = router.outputs[number];
  const ReadySet& ready = output.ready[traffic_class];
  Grant grant;
  grant.output = number;
  const auto has_room = [&](unsigned head) {
    const Input& input = router.inputs[head / shape_.vcs];
    grant.queue = traffic_class * shape_.vcs + head % shape_.vcs;
    const Queue& queue = input.queues[grant.queue];
    // Of the virtual channels it may use, the one with most room.
    const std::uint32_t first = traffic_class * shape_.vcs + queue.first_vc;
    grant.next_queue = first;
    for (std::uint32_t q = first + 1; q < first + queue.vcs; ++q) {
      if (output.credits[q] > output.credits[grant.next_queue]) grant.next_queue = q;
    }
    if (output.credits[grant.next_queue] >= queue.stored) return true;
    output.starved = true;
    return false;
  };
  const unsigned found = ready.next_after(output.served[traffic_class], router.idle, has_room);
  if (found < ready.size()) grant.input = found / shape_.vcs;
  return grant;
}

void PacketNetwork::take(std::uint32_t node, const Grant& grant) {
  Router& router = routers_[node];
  Output& output = router.outputs[grant.output];
  Input& input = router.inputs[grant.input];
  Queue& queue = input.queues[grant.queue];
  const std::uint32_t number = queue.first;
  const Train& train = trains_[number];
  const unsigned traffic_class = train.traffic_class;
  const unsigned head = grant.input * shape_.vcs + grant.queue % shape_.vcs;
  if (train.first && input.channel == kNone && begin_solo(train)) {
    // It is cut off again when this ends.
    output.ready[traffic_class].erase(head);
    output.passed = {};
    output.end_stall(now_);
    queue.first = kNone;
    input.waiting &= ~(1U << grant.queue);
    pending_[train.transfer].left += train.payload;
    trains_.release(number);
    return;
  }
  const Passage passage = pass(train, output.channel);

  input.accepted = grant.output;
  output.busy = true;
  router.occupy(grant.input, shape_.vcs);
  output.input = grant.input;
  output.queue = grant.queue;
  output.stored = queue.stored;
  output.credits[grant.next_queue] -= output.stored;
  output.ready[traffic_class].erase(head);
  output.served[traffic_class] = head;
  for (unsigned c = 0; c < kClasses; ++c) {
    if (c == traffic_class || output.ready[c].empty()) {
      output.passed[c] = 0;
    } else {
      ++output.passed[c];
    }
  }
  ChannelStatistics& s = output.statistics;
  ++s.trains;
  s.payload += train.payload;
  s.busy += passage.busy;
  output.end_stall(now_);
  push(now_ + passage.busy, node, Kind::kSent, grant.output, grant.output);

  queue.first = train.next;
  if (queue.first == kNone) input.waiting &= ~(1U << grant.queue);
  if (input.channel != kNone) queue.asks = now_ + shape_.restart;
  if (queue.first != kNone) {
    ask(node, grant.input, grant.queue);
  } else if (input.channel == kNone) {
    refill(node, grant.input, grant.queue);
  }
  forward(number, output.channel, grant.next_queue, passage.late);
}

PacketNetwork::Passage PacketNetwork::pass(const Train& train, std::uint32_t number) {
  const Time alone = shape_.occupancy(shape_.channels[number], train.payload);
  if (link::FlitLine* line = line_of(number)) {
    const auto carried = line->carry(now_, train.payload, train.traffic_class);
    if (fault_mode_) count_carried(number / 2, train, carried.arrived);
    const Time usual = now_ + shape_.channels[number].head + alone;
    return {carried.free - now_, static_cast<std::int64_t>(carried.arrived - usual)};
  }
  const Time late = fault_mode_ ? send_over(train, number, alone) : 0;
  return {alone + late, static_cast<std::int64_t>(late)};
}

void PacketNetwork::forward(std::uint32_t number, std::uint32_t channel_number, std::uint32_t queue,
                            std::int64_t late) {
  Train& train = trains_[number];
  const Channel& channel = shape_.channels[channel_number];
  train.next = kNone;
  train.vc = static_cast<std::uint8_t>(queue % shape_.vcs);
  ++train.hop;
  const std::uint32_t port = ends_[channel_number].input;
  Time event = now_ + static_cast<Time>(late) + time_to_event(train, channel_number);
  if (line_of(channel_number) != nullptr) {
    // Its head is not earlier than that of the formulas, and trains stay in order.
    Time& last = lines_[channel_number].last;
    event = last = std::max({event, now_ + channel.head, last});
  }
  if (fault_mode_) fly(number, channel_number, now_, event);
  if (train.hop < flow_of(train).path.size()) {
    push(event, channel.to, Kind::kArrive, port, number);
    return;
  }
  // A chip takes what arrives at once.
  return_credit(channel_number, queue, shape_.stored(train.payload), event + channel.flight);
  if (!fault_mode_ && train.last)
    certain(pending_[train.transfer].transfer, pending_[train.transfer].sent, event);
  if (fault_mode_ || train.last) {
    push(event, channel.to, Kind::kDeliver, port, number);
  } else {
    trains_.release(number);
  }
}

// From the beginning of a channel to what happens at its end. A train's head is at the next node
// before its tail has left; where the next channel is faster, it waits until its tail will follow
// without a gap. At its target all of it is waited for.
Time PacketNetwork::time_to_event(const Train& train, std::uint32_t number) {
  const Channel& channel = shape_.channels[number];
  const Time occupancy = shape_.occupancy(channel, train.payload);
  const std::vector<Hop>& path = flow_of(train).path;
  if (train.hop == path.size()) return channel.head + occupancy;
  const Time next = shape_.occupancy(shape_.channels[path[train.hop].channel], train.payload);
  return channel.head + shape_.through[channel.to] + (occupancy > next ? occupancy - next : 0);
}

void PacketNetwork::collect_credits(Output& output) {
  while (!output.returning.empty() && output.returning.front().time <= now_) {
    output.credits[output.returning.front().queue] += output.returning.front().bytes;
    output.returning.pop_front();
  }
}

// To the sender of a channel. Only a sender that waits for it hears of it by an event.
void PacketNetwork::return_credit(std::uint32_t channel, std::uint32_t queue, std::uint32_t bytes,
                                  Time time) {
  const std::uint32_t node = shape_.channels[channel].from;
  Output& output = routers_[node].outputs[ends_[channel].output];
  // Mostly behind all others; those of a chip's own trains are known beforehand.
  const Credit credit{time, static_cast<std::uint16_t>(queue), bytes};
  bool first = output.returning.empty();
  if (first || output.returning.back().time <= time) {
    output.returning.push_back(credit);
  } else {
    auto place = std::prev(output.returning.end());
    while (place != output.returning.begin() && std::prev(place)->time > time) --place;
    first = place == output.returning.begin();
    output.returning.insert(place, credit);
  }
  if (output.starved && first) wake(node, ends_[channel].output, time);
}

void PacketNetwork::wake_for_credit(std::uint32_t node, std::uint32_t number) {
  Output& output = routers_[node].outputs[number];
  if (output.stalled_since == kNever) output.stalled_since = now_;
  if (!output.returning.empty()) wake(node, number, output.returning.front().time);
}

void PacketNetwork::wake(std::uint32_t node, std::uint32_t number, Time time) {
  Output& output = routers_[node].outputs[number];
  if (output.wakes == time) return;
  output.wakes = time;
  push(time, node, Kind::kWake, number, number);
}

}  // namespace tern::fabric::packet

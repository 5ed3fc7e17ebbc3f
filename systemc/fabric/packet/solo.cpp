// SPDX-License-Identifier: Apache-2.0
// Streams that have their path for themselves: their trains are not simulated one by one, until
// somebody else comes. Deliveries and counters are as if they were.
#include "systemc/fabric/packet/solo.h"

#include <algorithm>
#include <utility>

#include "systemc/fabric/packet/packet_network.h"

namespace tern::fabric::packet {

namespace {
// Fewer are not worth it. The last two are simulated: they end the transfer. So are all beyond the
// most.
constexpr std::uint64_t kLeastTrains = 8, kLastTrains = 2, kMostTrains = 1U << 30;
}  // namespace

void PacketNetwork::enter(std::uint32_t number) {
  if (fault_mode_) return;  // paths change
  for (const Hop& hop : flows_[number].path) {
    ChannelUse& use = uses_[hop.channel];
    if (use.solo != kNone) end_solo(use.solo);
    ++use.flows;
  }
}

void PacketNetwork::leave(std::uint32_t number) {
  if (fault_mode_) return;
  for (const Hop& hop : flows_[number].path) --uses_[hop.channel].flows;
}

// Of the first train of a transfer, which takes the first channel of its path now. False: it is
// simulated as all others.
bool PacketNetwork::begin_solo(const Train& train) {
  const Pending& pending = pending_[train.transfer];
  const std::uint64_t trains = pending.transfer.bytes / std::max(train.payload, 1U);
  if (trains < kLeastTrains || train.payload != train_bytes_of(pending.transfer) ||
      shape_.every_train || shape_.restart != 0 || fault_mode_ || !lines_.empty())
    return false;
  const std::uint32_t number = pending.flow;
  const Flow& flow = flows_[number];
  if (flow.unfinished > 1) return false;
  Solo solo;
  solo.payload = train.payload;
  solo.begun = advances_;
  Time taken = now_;
  for (std::size_t hop = 0; hop < flow.path.size(); ++hop) {
    const Channel& channel = shape_.channels[flow.path[hop].channel];
    const bool is_last = hop + 1 == flow.path.size();
    Solo::Stage stage{taken, shape_.occupancy(channel, solo.payload), 0};
    if (stage.busy == 0) return false;
    if (hop == 0) solo.interval = stage.busy;
    Time to_next = channel.head + stage.busy;  // is_last: to its arrival, and its credit is free
    Time next_busy = 0;
    if (!is_last) {
      next_busy = shape_.occupancy(shape_.channels[flow.path[hop + 1].channel], solo.payload);
      if (next_busy > stage.busy) return false;  // they would queue there
      to_next = channel.head + shape_.through[channel.to] + stage.busy - next_busy;
    }
    stage.held = to_next + next_busy + channel.flight;
    Output& output = routers_[channel.from].outputs[ends_[flow.path[hop].channel].output];
    collect_credits(output);
    const auto under_way = static_cast<std::int64_t>((stage.held - 1) / solo.interval + 1);
    if (uses_[flow.path[hop].channel].flows > 1 || flow.path[hop].vcs > 1 ||
        output.credits[next_queue(flow, hop)] < under_way * shape_.stored(solo.payload))
      return false;
    solo.stages.push_back(stage);
    taken += to_next;
  }
  const Time times = (kNever / 2 - now_) / solo.interval;  // that fit
  solo.trains = static_cast<std::uint32_t>(std::min({trains - kLastTrains, kMostTrains, times}));
  for (const Hop& hop : flow.path) uses_[hop.channel].solo = number;
  solo_ends_.emplace(solo.end(), number);
  solos_.emplace(number, std::move(solo));
  return true;
}

// In the receiver of a channel of a path.
std::uint32_t PacketNetwork::next_queue(const Flow& flow, std::size_t hop) const {
  return flow.queue / shape_.vcs * shape_.vcs + flow.path[hop].first_vc;
}

// Of an input, the one of the train that takes a channel of a path.
std::pair<std::uint32_t, std::uint32_t> PacketNetwork::input_of(const Flow& flow,
                                                                std::size_t hop) const {
  if (hop > 0) return {ends_[flow.path[hop - 1].channel].input, next_queue(flow, hop - 1)};
  const Router& router = routers_[flow.source];
  return {static_cast<std::uint32_t>(router.inputs.size() - router.outputs.size()) + flow.port,
          flow.queue};
}

// Everything becomes what it would be if each train had been simulated: before the present instant,
// or what the caller has already had handled.
void PacketNetwork::end_solo(std::uint32_t number) {
  const Solo solo = std::move(solos_.at(number));
  solos_.erase(number);
  solo_ends_.erase({solo.end(), number});
  Flow& flow = flows_[number];
  const Time before = std::max<Time>(now_, 1) - 1;
  const Time done = solo.begun == advances_ ? before : std::max(handled_until_, before);
  const std::uint32_t stored = shape_.stored(solo.payload);
  for (std::size_t hop = 0; hop < flow.path.size(); ++hop) {
    const Solo::Stage& stage = solo.stages[hop];
    const std::uint32_t channel_number = flow.path[hop].channel, queue = next_queue(flow, hop);
    const Channel& channel = shape_.channels[channel_number];
    const std::uint32_t taken = solo.taken_by(hop, done), port = ends_[channel_number].output;
    const bool is_last = hop + 1 == flow.path.size();
    uses_[channel_number].solo = kNone;
    if (taken == 0) continue;
    Router& router = routers_[channel.from];
    Output& output = router.outputs[port];
    const auto [input_number, input_queue] = input_of(flow, hop);
    Input& input = router.inputs[input_number];
    const unsigned traffic_class = flow.queue / shape_.vcs;
    input.accepted = port;
    output.served[traffic_class] = input_number * shape_.vcs + input_queue % shape_.vcs;
    output.input = input_number;
    output.queue = input_queue;
    output.stored = stored;
    add(solo, hop, taken, &output.statistics);
    const Time sent = solo.taken(hop, taken - 1) + stage.busy;
    if (sent > done) {
      output.busy = true;
      router.occupy(input_number, shape_.vcs);
      push(sent, channel.from, Kind::kSent, port, port);
    }
    // Those whose credits are not back now.
    for (std::uint32_t train = taken; train-- > 0;) {
      const Time back = solo.taken(hop, train) + stage.held;
      if (back <= before) break;
      output.credits[queue] -= stored;
      if (is_last || back - channel.flight <= done)
        return_credit(channel_number, queue, stored, back);
    }
    if (is_last) continue;
    for (std::uint32_t train = solo.taken_by(hop + 1, done); train < taken; ++train) {
      Train moving;
      moving.transfer = flow.oldest;
      moving.payload = solo.payload;
      moving.hop = static_cast<std::uint16_t>(hop + 1);
      moving.traffic_class = static_cast<std::uint8_t>(traffic_class);
      moving.vc = flow.path[hop].first_vc;
      push(solo.taken(hop + 1, train), channel.to, Kind::kArrive, ends_[channel_number].input,
           trains_.add(moving));
    }
  }
  pending_[flow.oldest].left -= std::uint64_t{solo.taken_by(0, done)} * solo.payload;
  const auto [input, queue] = input_of(flow, 0);
  refill(flow.source, input, queue);
}

// So many trains to the statistics of a channel.
void PacketNetwork::add(const Solo& solo, std::size_t hop, std::uint32_t trains,
                        ChannelStatistics* statistics) {
  statistics->trains += trains;
  statistics->payload += std::uint64_t{trains} * solo.payload;
  statistics->busy += trains * solo.stages[hop].busy;
}

ChannelStatistics PacketNetwork::statistics(std::uint32_t channel) const {
  ChannelStatistics found =
      routers_[shape_.channels[channel].from].outputs[ends_[channel].output].statistics;
  if (uses_[channel].solo == kNone) return found;
  const std::vector<Hop>& path = flows_[uses_[channel].solo].path;
  const Solo& solo = solos_.at(uses_[channel].solo);
  for (std::size_t hop = 0; hop < path.size(); ++hop) {
    if (path[hop].channel == channel) add(solo, hop, solo.taken_by(hop, handled_until_), &found);
  }
  return found;
}

}  // namespace tern::fabric::packet

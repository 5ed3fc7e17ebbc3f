// SPDX-License-Identifier: Apache-2.0
// What faults do to the packet level.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "systemc/fabric/packet/packet_network.h"
#include "systemc/link/link_timing.h"

namespace tern::fabric::packet {

namespace {

using faults::Fault;
using faults::FaultState;
using faults::Observed;

// Items of fault events: 2 * fault, + 1 for its end; from here on links that give up.
constexpr std::uint32_t kGivesUp = std::uint32_t{1} << 31;
constexpr double kFsPerNs = 1e6;

bool same(const std::vector<Hop>& a, const std::vector<Hop>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Hop& x, const Hop& y) {
    return x.channel == y.channel && x.first_vc == y.first_vc;
  });
}

}  // namespace

PacketNetwork::PacketNetwork(FaultState& state) {
  auto routes = std::make_unique<RepairedRoutes>(state);
  fault_mode_ = std::make_unique<FaultMode>(FaultMode{state, *routes, {}, {}, {}, {}, {}, 0, {}});
  routes_ = std::move(routes);
  shape_ = shape_of(state.fabric(), routes_->vcs());
  build();
  FaultMode& mode = *fault_mode_;
  mode.errors.resize(shape_.channels.size());
  mode.caught.resize(shape_.channels.size());
  mode.counted.resize(state.fabric().links().size());
  const std::vector<Fault>& faults = state.script().faults;
  mode.carried.resize(faults.size());
  for (std::uint32_t n = 0; n < faults.size(); ++n) {
    for (const std::uint32_t link : faults[n].counted) mode.counted[link].push_back(n);
  }
  if (state.origin() != kNever) begin_faults(state.origin());
}

void PacketNetwork::begin_faults(Time origin) {
  FaultState& state = fault_mode_->state;
  state.set_origin(origin);
  const std::vector<Fault>& faults = state.script().faults;
  for (std::uint32_t n = 0; n < faults.size(); ++n) {
    if (faults[n].from == Fault::From::kTime)
      push(origin + faults[n].at, 0, Kind::kFault, 2 * n, 2 * n);
  }
}

void PacketNetwork::fault(std::uint32_t item) {
  FaultState& state = fault_mode_->state;
  if (item >= kGivesUp) {
    state.give_up(item - kGivesUp);
    return;
  }
  const std::size_t number = item / 2;
  if (item % 2 == 1) {
    update(state.end(number));
    return;
  }
  update(state.begin(number, now_));
  const Fault& fault = state.script().faults[number];
  if (FaultState::ends(fault)) push(now_ + fault.lasts, 0, Kind::kFault, item + 1, item + 1);
}

// Rates, errors and flaps of links as they are from now on.
void PacketNetwork::update(const std::vector<std::uint32_t>& links) {
  FaultMode& mode = *fault_mode_;
  const system::Fabric& fabric = mode.state.fabric();
  for (const std::uint32_t link : links) {
    const unsigned lanes = mode.state.lanes(link);
    for (const std::uint32_t number : {2 * link, 2 * link + 1}) {
      if (lanes == 0) continue;
      const std::uint32_t buffer = shape_.channels[number].buffer;
      shape_.channels[number] = channel_of(fabric, number, lanes);
      shape_.channels[number].buffer = buffer;
      if (link::FlitLine* line = line_of(number)) {
        line->change(
            lanes, std::max(fabric.config().link.bit_error_rate, mode.state.bit_error_rate(link)));
        continue;
      }
      mode.errors[number] = ChannelErrors(mode.state, number, now_);
      if (mode.state.flaps(link)) {
        hold(number);
      } else {
        resume(number);
      }
    }
  }
}

ChannelErrors::ChannelErrors(const FaultState& state, std::uint32_t channel, Time now) {
  const std::uint32_t link = channel / 2;
  if (state.bit_error_rate(link) <= 0) return;
  const system::Fabric& fabric = state.fabric();
  const system::Link& l = fabric.links()[link];
  const bool forward = channel % 2 == 0;
  system::LinkConfig config = fabric.config().link;
  config.bit_error_rate = state.bit_error_rate(link);
  timing = link::LinkTiming(config, state.lanes(link), fabric.config().lane_gb_per_s, l.medium,
                            (forward ? l.a : l.b) < fabric.chips(),
                            (forward ? l.b : l.a) < fabric.chips());
  replay = static_cast<Time>(std::llround(timing->replay_cost(config.selective_nak) * kFsPerNs));
  retrain = static_cast<Time>(std::llround(config.retrain_ns * kFsPerNs));
  // No multiple of what the generator adds to its state: other channels, other sequences.
  errors = faults::LineErrors(state.seed() + channel * 0xd1342543de82ef95ULL + now,
                              timing->loss_probability(), timing->corrected_probability());
}

// A train begins to go over a channel: how much longer it takes because of errors.
Time PacketNetwork::send_over(const Train& train, std::uint32_t number, Time occupancy) {
  FaultMode& mode = *fault_mode_;
  ChannelErrors& line = mode.errors[number];
  Time longer = 0;
  if (line.timing) {
    const auto hits = line.errors.send(line.timing->units(train.payload));
    faults::ObservedCounts& observed = mode.state.observed(number / 2);
    observed[Observed::kCorrected] += hits.corrected;
    observed[Observed::kReplayed] += hits.replays;
    observed[Observed::kRetrained] += hits.retrains;
    longer = hits.replays * line.replay + hits.retrains * line.retrain;
    const std::uint32_t item = kGivesUp + number / 2;
    if (hits.failed) push(now_ + longer, 0, Kind::kFault, item, item);
  }
  count_carried(number / 2, train, now_ + longer + shape_.channels[number].head + occupancy);
  return longer;
}

void PacketNetwork::count_carried(std::uint32_t link, const Train& train, Time arrival) {
  FaultMode& mode = *fault_mode_;
  for (const std::uint32_t number : mode.counted[link]) {
    const Fault& fault = mode.state.script().faults[number];
    std::uint64_t& carried = mode.carried[number];
    if (carried >= fault.count) continue;
    carried += fault.from == Fault::From::kBytes ? train.payload : train.last ? 1 : 0;
    if (carried >= fault.count) push(arrival, 0, Kind::kFault, 2 * number, 2 * number);
  }
}

void PacketNetwork::fly(std::uint32_t train, std::uint32_t channel, Time start, Time arrives) {
  Flight& flight = fault_mode_->flight(train);
  flight.channel = channel;
  flight.start = start;
  flight.arrives = arrives;
  ++flight.events;
  const Train& t = trains_[train];
  if (announces() && t.last && t.hop == flow_of(t).path.size())
    fault_mode_->landings.emplace(arrives, train);
}

// The event of a train that was under way.
bool PacketNetwork::is_valid(std::uint32_t train) {
  Flight& flight = fault_mode_->flight(train);
  --flight.events;
  if (flight.taken_out && flight.events == 0) {
    flight = {};
    trains_.release(train);
    return false;
  }
  if (flight.taken_out || flight.arrives != now_) return false;
  flight.channel = kNone;
  return true;
}

// The channel's link flaps: what is under way is kept to be sent again.
void PacketNetwork::hold(std::uint32_t number) {
  FaultMode& mode = *fault_mode_;
  Output& output = routers_[shape_.channels[number].from].outputs[ends_[number].output];
  output.held_until = kNever;
  output.end_stall(now_);
  std::vector<std::uint32_t>& caught = mode.caught[number];
  const std::size_t before = caught.size();
  for (std::uint32_t train = 0; train < mode.flights.size(); ++train) {
    Flight& flight = mode.flights[train];
    if (flight.channel != number || flight.taken_out || flight.arrives == kNever) continue;
    flight.arrives = kNever;
    caught.push_back(train);
    ++mode.state.observed(number / 2)[Observed::kReplayed];
  }
  std::sort(caught.begin() + static_cast<std::ptrdiff_t>(before), caught.end(),
            [&](std::uint32_t a, std::uint32_t b) {
              return mode.flights[a].start < mode.flights[b].start;
            });
}

void PacketNetwork::resume(std::uint32_t number) {
  FaultMode& mode = *fault_mode_;
  const Channel& channel = shape_.channels[number];
  Output& output = routers_[channel.from].outputs[ends_[number].output];
  if (output.held_until != kNever) return;
  Time start = now_;
  for (const std::uint32_t train : mode.caught[number]) {
    const Train& t = trains_[train];
    const Time arrives = start + time_to_event(t, number);
    const bool ends = t.hop == flow_of(t).path.size();
    fly(train, number, start, arrives);
    push(arrives, channel.to, ends ? Kind::kDeliver : Kind::kArrive, ends_[number].input, train);
    start += shape_.occupancy(channel, t.payload);
  }
  mode.caught[number].clear();
  output.statistics.busy += start - now_;
  output.held_until = start;
  if (start == now_) {
    mark(channel.from, ends_[number].output);
  } else {
    wake(channel.from, ends_[number].output, start);
  }
}

// Other links are usable: flows whose way is not what it would be now get that, from their sources,
// with all that has not arrived.
void PacketNetwork::reroute() {
  FaultMode& mode = *fault_mode_;
  mode.epoch = mode.state.epoch();
  std::vector<std::uint32_t> moving;
  std::vector<Hop> way;
  for (const auto& [key, number] : flow_numbers_) {
    Flow& flow = flows_[number];
    if (flow.avoids == kNone && mode.routes.usable(flow.path)) continue;
    if (routes_->path(pending_[flow.oldest].transfer, &way) && same(way, flow.path)) continue;
    flow.moves = true;
    moving.push_back(number);
  }
  if (moving.empty()) return;
  // Not in the order of a hash table.
  const auto key = [&](std::uint32_t number) {
    const Transfer& t = pending_[flows_[number].oldest].transfer;
    return std::tuple(t.source, t.target, t.stream, t.traffic_class);
  };
  std::sort(moving.begin(), moving.end(),
            [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  take_out_of_flight();
  take_out_of_queues();
  for (const std::uint32_t number : moving) resend(number);
}

void PacketNetwork::take_out_of_flight() {
  FaultMode& mode = *fault_mode_;
  for (std::uint32_t number = 0; number < mode.flights.size(); ++number) {
    Flight& flight = mode.flights[number];
    if (flight.channel == kNone || flight.taken_out) continue;
    const Train& train = trains_[number];
    const Flow& flow = flow_of(train);
    if (!flow.moves) continue;
    // The buffer of a train's last receiver, a chip, is promised back from the beginning.
    if (train.hop < flow.path.size())
      return_credit(flight.channel, train.traffic_class * shape_.vcs + train.vc,
                    shape_.stored(train.payload), now_ + shape_.channels[flight.channel].flight);
    std::vector<std::uint32_t>& caught = mode.caught[flight.channel];
    caught.erase(std::remove(caught.begin(), caught.end(), number), caught.end());
    flight.taken_out = true;
    if (flight.events > 0) continue;  // the last of them releases it
    flight = {};
    trains_.release(number);
  }
}

void PacketNetwork::take_out_of_queues() {
  for (std::uint32_t node = 0; node < routers_.size(); ++node) {
    std::vector<Input>& inputs = routers_[node].inputs;
    for (std::uint32_t i = 0; i < inputs.size(); ++i) {
      for (std::uint32_t q = 0; q < inputs[i].queues.size(); ++q) take_out_of_queue(node, i, q);
    }
    // What waited for credits may have left.
    for (Output& output : routers_[node].outputs) {
      if (std::all_of(output.ready.begin(), output.ready.end(),
                      [](const ReadySet& ready) { return ready.empty(); }))
        output.end_stall(now_);
    }
  }
}

void PacketNetwork::take_out_of_queue(std::uint32_t node, std::uint32_t i, std::uint32_t q) {
  Router& router = routers_[node];
  Input& input = router.inputs[i];
  if (input.channel == kNone) {
    auto& flows = input.injections[q].flows;
    flows.erase(std::remove_if(flows.begin(), flows.end(),
                               [&](std::uint32_t flow) { return flows_[flow].moves; }),
                flows.end());
  }
  Queue& queue = input.queues[q];
  const std::uint32_t head = queue.first;
  if (head == kNone) return;
  queue.first = queue.last = kNone;
  for (std::uint32_t number = head; number != kNone;) {
    Train& train = trains_[number];
    const std::uint32_t next = std::exchange(train.next, kNone);
    if (flow_of(train).moves) {
      if (input.channel != kNone)
        return_credit(input.channel, q, shape_.stored(train.payload),
                      now_ + shape_.channels[input.channel].flight);
      trains_.release(number);
    } else if (queue.first == kNone) {
      queue.first = queue.last = number;
    } else {
      trains_[queue.last].next = number;
      queue.last = number;
    }
    number = next;
  }
  if (queue.first == head) return;
  if (queue.first == kNone) input.waiting &= ~(1U << q);
  router.outputs[queue.output].ready[q / shape_.vcs].erase(i * shape_.vcs + q % shape_.vcs);
  if (queue.first != kNone) {
    ask(node, i, q);
  } else if (input.channel == kNone) {
    refill(node, i, q);
  }
}

// Nothing of the flow is in the network. What has not arrived goes another way, or is lost.
void PacketNetwork::resend(std::uint32_t number) {
  FaultState& state = fault_mode_->state;
  Flow& flow = flows_[number];
  flow.moves = false;
  const std::optional<std::uint32_t> broken = fault_mode_->routes.broken(flow.path);
  const Transfer transfer = pending_[flow.oldest].transfer;
  const bool found = find_way(transfer, &flow);
  if (broken)
    state.observed(*broken)[found ? Observed::kRerouted : Observed::kLost] += flow.unfinished;
  std::uint32_t pending = flow.oldest;
  if (found) {
    flow.first = pending;
    for (; pending != kNone; pending = pending_[pending].next)
      pending_[pending].left = pending_[pending].transfer.bytes - pending_[pending].delivered;
    enlist(number);
    return;
  }
  while (pending != kNone) deliver(std::exchange(pending, pending_[pending].next), true);
  flow_numbers_.erase(StreamKey(transfer));
  flows_.release(number);
}

}  // namespace tern::fabric::packet

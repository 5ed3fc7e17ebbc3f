// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/packet/packet_network.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "sw/base/user_error.h"

namespace tern::fabric::packet {

PacketNetwork::PacketNetwork(const system::Fabric& fabric) : routes_(routes_of(fabric)) {
  shape_ = shape_of(fabric, routes_->vcs());
  build();
}

PacketNetwork::PacketNetwork(Shape shape, std::unique_ptr<Routes> routes)
    : shape_(std::move(shape)), routes_(std::move(routes)) {
  build();
}

void PacketNetwork::build() {
  const unsigned queues = kClasses * shape_.vcs;
  routers_.resize(shape_.through.size());
  ends_.resize(shape_.channels.size());
  uses_.resize(shape_.channels.size());
  sends_.resize(shape_.chips);
  for (std::uint32_t c = 0; c < shape_.channels.size(); ++c) {
    const Channel& channel = shape_.channels[c];
    lookahead_ = std::min(lookahead_, channel.head);
    Router &from = routers_[channel.from], &to = routers_[channel.to];
    ends_[c] = {static_cast<std::uint32_t>(from.outputs.size()),
                static_cast<std::uint32_t>(to.inputs.size())};
    Output output;
    output.channel = c;
    output.credits.assign(queues, channel.buffer);
    from.outputs.push_back(std::move(output));
    Input input;
    input.channel = c;
    input.queues.resize(queues);
    to.inputs.push_back(std::move(input));
  }
  for (std::uint32_t node = 0; node < routers_.size(); ++node) {
    Router& router = routers_[node];
    for (std::size_t n = 0; node < shape_.chips && n < router.outputs.size(); ++n) {
      Input input;
      input.queues.resize(queues);
      input.injections.resize(queues);
      router.inputs.push_back(std::move(input));
    }
    const auto heads = static_cast<unsigned>(router.inputs.size()) * shape_.vcs;
    for (Output& output : router.outputs) output.ready.fill(ReadySet(heads));
    router.idle = ReadySet(heads);
    for (unsigned input = 0; input < router.inputs.size(); ++input)
      router.vacate(input, shape_.vcs);
  }
}

bool PacketNetwork::idle() const {
  if (trains_.used() > 0 || pending_.used() > 0 || flows_.used() > 0) return false;
  for (const Router& router : routers_) {
    for (const Output& output : router.outputs) {
      std::vector<std::int64_t> credits = output.credits;
      for (const Credit& credit : output.returning) credits[credit.queue] += credit.bytes;
      const std::int64_t full = shape_.channels[output.channel].buffer;
      if (std::any_of(credits.begin(), credits.end(), [&](std::int64_t c) { return c != full; }))
        return false;
    }
  }
  return true;
}

// Keys of one instant differ by node, kind and a number of the model; two events with the same key
// do not happen at one instant.
void PacketNetwork::push(Time time, std::uint32_t node, Kind kind, std::uint32_t number,
                         std::uint32_t item) {
  const std::uint64_t key =
      std::uint64_t{node} << 36 | std::uint64_t{static_cast<std::uint8_t>(kind)} << 32 | number;
  events_.push({time, key, item});
}

void PacketNetwork::set_line(std::uint32_t channel, std::unique_ptr<link::FlitLine> line) {
  if (fault_mode_) {
    for (const faults::Fault& fault : fault_mode_->state.script().faults) {
      const bool hit =
          std::find(fault.links.begin(), fault.links.end(), channel / 2) != fault.links.end();
      if (hit && fault.kind == faults::Fault::Kind::kFlap)
        throw UserError(fault.source + ": flap: not of a link that is simulated flit by flit");
    }
  }
  lines_.resize(shape_.channels.size());
  lines_[channel].line = std::move(line);
}

void PacketNetwork::finish_lines() {
  for (std::uint32_t channel = 0; channel < lines_.size(); ++channel) {
    link::FlitLine* const line = line_of(channel);
    if (line == nullptr) continue;
    line->finish();
    if (!fault_mode_) continue;
    const link::PortCounts counts = line->counts();
    observed(channel / 2, faults::Observed::kReplayed) += counts.replays;
    observed(channel / 2, faults::Observed::kRetrained) += counts.trainings;
  }
}

void PacketNetwork::send(const Transfer& transfer, Time now) {
  if (transfer.traffic_class >= kClasses || transfer.source >= shape_.chips ||
      transfer.target >= shape_.chips || transfer.source == transfer.target)
    throw std::invalid_argument("transfer without a class or two chips of the network");
  Pending pending;
  pending.transfer = transfer;
  pending.sent = now;
  pending.left = transfer.bytes;
  push(now, transfer.source, Kind::kInject, sends_[transfer.source]++, pending_.add(pending));
}

void PacketNetwork::advance(Time until, std::vector<Delivery>& arrived) {
  arrived_ = &arrived;
  const bool lands = fault_mode_ && announces();
  while (next_time() <= until && next_time() != kNever) {
    now_ = next_time();
    if (lands) open_instant();
    open_ = false;
    const auto first = static_cast<std::ptrdiff_t>(arrived.size());
    // First all that happens at this instant, then what routers make of it.
    for (; solo_end() == now_; ++handled_) end_solo(solo_ends_.begin()->second);
    while (events_.next_time() == now_) handle(events_.pop());
    if (fault_mode_ && fault_mode_->epoch != fault_mode_->state.epoch()) reroute();
    for (std::size_t i = 0; i < dirty_routers_.size(); ++i) arbitrate(dirty_routers_[i]);
    dirty_routers_.clear();
    if (arrived.end() - (arrived.begin() + first) < 2) continue;
    std::stable_sort(arrived.begin() + first, arrived.end(),
                     [](const Delivery& a, const Delivery& b) {
                       const auto key = [](const Delivery& d) {
                         return std::tie(d.transfer.target, d.transfer.source, d.transfer.stream,
                                         d.transfer.traffic_class);
                       };
                       return key(a) < key(b);
                     });
  }
  handled_until_ = until;
  ++advances_;
  // What lands at the next instant is certain when its faults have happened.
  if (!lands || next_time() == kNever || next_time() != until + 1) return;
  now_ = until + 1;
  open_instant();
}

void PacketNetwork::handle(const Event& event) {
  ++handled_;
  const auto node = static_cast<std::uint32_t>(event.key >> 36);
  switch (static_cast<Kind>(event.key >> 32 & 15)) {
    case Kind::kFault:
      fault(event.item);
      break;
    case Kind::kArrive:
      arrive(node, event.item);
      break;
    case Kind::kSent:
      sent(node, event.item);
      break;
    case Kind::kWake:
      mark(node, event.item);
      break;
    case Kind::kInject:
      add_class(pending_[event.item].transfer.traffic_class);
      inject(event.item);
      break;
    case Kind::kDeliver:
      land(event.item);
      break;
    case Kind::kAsk:
      ask(node, event.item / (kClasses * shape_.vcs), event.item % (kClasses * shape_.vcs));
      break;
  }
}

void PacketNetwork::arrive(std::uint32_t node, std::uint32_t train) {
  if (fault_mode_ && !is_valid(train)) return;
  const Train& t = trains_[train];
  const Hop& came = flow_of(t).path[t.hop - 1U];
  append(node, ends_[came.channel].input, t.traffic_class * shape_.vcs + t.vc, train);
}

// An output has sent the last byte of a train: its input is free, and its buffer.
void PacketNetwork::sent(std::uint32_t node, std::uint32_t number) {
  Router& router = routers_[node];
  Output& output = router.outputs[number];
  Input& input = router.inputs[output.input];
  output.busy = false;
  router.vacate(output.input, shape_.vcs);
  mark(node, number);
  for (std::uint32_t waiting = input.waiting; waiting != 0; waiting &= waiting - 1)
    mark(node, input.queues[static_cast<unsigned>(__builtin_ctz(waiting))].output);
  if (input.channel != kNone)
    return_credit(input.channel, output.queue, output.stored,
                  now_ + shape_.channels[input.channel].flight);
}

void PacketNetwork::inject(std::uint32_t number) {
  Pending& pending = pending_[number];
  const Transfer& t = pending.transfer;
  const StreamKey key(t);
  const auto known = flow_numbers_.find(key);
  if (known == flow_numbers_.end()) {
    Flow flow;
    if (!find_way(t, &flow)) {
      if (flow.avoids != kNone) ++observed(flow.avoids, faults::Observed::kLost);
      deliver(number, true);
      return;
    }
    pending.flow = flows_.add(std::move(flow));
    flow_numbers_.emplace(key, pending.flow);
    enter(pending.flow);
  } else {
    pending.flow = known->second;
  }
  Flow& flow = flows_[pending.flow];
  if (flow.avoids != kNone) ++observed(flow.avoids, faults::Observed::kRerouted);
  if (flow.unfinished++ == 0) {
    flow.oldest = number;
  } else {
    pending_[flow.last].next = number;
  }
  flow.last = number;
  if (flow.first != kNone) return;
  flow.first = number;
  enlist(pending.flow);
}

// The flow has something to cut into trains.
void PacketNetwork::enlist(std::uint32_t number) {
  const Flow& flow = flows_[number];
  Router& router = routers_[flow.source];
  // Inputs of what a chip sends come behind those of its channels, one for each output.
  const auto input =
      static_cast<std::uint32_t>(router.inputs.size() - router.outputs.size()) + flow.port;
  router.inputs[input].injections[flow.queue].flows.push_back(number);
  if (router.inputs[input].queues[flow.queue].first == kNone)
    refill(flow.source, input, flow.queue);
}

// The path of a new flow, or another one of a flow that had one.
bool PacketNetwork::find_way(const Transfer& t, Flow* flow) {
  const bool found = routes_->path(t, &flow->path);
  if (fault_mode_) flow->avoids = fault_mode_->routes.obstacle(t).value_or(kNone);
  if (!found) return false;
  flow->source = t.source;
  flow->port = ends_[flow->path[0].channel].output;
  flow->queue = t.traffic_class * shape_.vcs + flow->path[0].first_vc;
  return true;
}

// Trains of all that is sent from now on may be shorter.
void PacketNetwork::add_class(unsigned traffic_class) {
  if (classes_[traffic_class]) return;
  while (!solos_.empty()) end_solo(solos_.begin()->first);
  classes_.set(traffic_class);
}

std::uint32_t PacketNetwork::train_bytes_of(const Transfer& transfer) const {
  const bool is_long = shape_.long_train_bytes != 0 &&
                       transfer.bytes >= Shape::kLong * shape_.long_train_bytes &&
                       classes_.count() == 1 && fault_mode_ == nullptr && lines_.empty();
  return is_long ? shape_.long_train_bytes : shape_.train_bytes;
}

// The next train of what a chip sends, if there is one: flows take turns.
void PacketNetwork::refill(std::uint32_t node, std::uint32_t input, std::uint32_t queue) {
  auto& flows = routers_[node].inputs[input].injections[queue].flows;
  if (flows.empty()) return;
  const std::uint32_t number = flows.front();
  flows.pop_front();
  Flow& flow = flows_[number];
  Pending& pending = pending_[flow.first];
  const std::uint32_t added = trains_.add({});
  Train& train = trains_[added];
  train.transfer = flow.first;
  train.payload = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(pending.left, train_bytes_of(pending.transfer)));
  train.traffic_class = pending.transfer.traffic_class;
  train.first = pending.left == pending.transfer.bytes;
  pending.left -= train.payload;
  train.last = pending.left == 0;
  if (train.last) flow.first = pending.next;
  if (flow.first != kNone) flows.push_back(number);
  append(node, input, queue, added);
}

void PacketNetwork::append(std::uint32_t node, std::uint32_t input, std::uint32_t number,
                           std::uint32_t train) {
  Input& in = routers_[node].inputs[input];
  Queue& queue = in.queues[number];
  if (queue.first != kNone) {
    trains_[queue.last].next = train;
    queue.last = train;
    return;
  }
  queue.first = queue.last = train;
  in.waiting |= 1U << number;
  ask(node, input, number);
}

// The head of a queue wants its output.
void PacketNetwork::ask(std::uint32_t node, std::uint32_t input, std::uint32_t number) {
  Router& router = routers_[node];
  Queue& queue = router.inputs[input].queues[number];
  if (queue.first == kNone) return;  // a fault has taken it out
  if (queue.asks > now_) {
    const std::uint32_t which = input * kClasses * shape_.vcs + number;
    push(queue.asks, node, Kind::kAsk, which, which);
    return;
  }
  const Train& train = trains_[queue.first];
  const Hop& hop = flow_of(train).path[train.hop];
  queue.output = ends_[hop.channel].output;
  queue.stored = shape_.stored(train.payload);
  queue.first_vc = hop.first_vc;
  queue.vcs = hop.vcs;
  router.outputs[queue.output].ready[train.traffic_class].insert(input * shape_.vcs +
                                                                 number % shape_.vcs);
  mark(node, queue.output);
}

// A train is where it was sent to, with its last byte.
void PacketNetwork::land(std::uint32_t number) {
  if (fault_mode_ && !is_valid(number)) return;
  const Train train = trains_[number];
  trains_.release(number);
  pending_[train.transfer].delivered += train.payload;
  if (train.last) finish(train.transfer);
}

void PacketNetwork::finish(std::uint32_t number) {
  const Pending& pending = pending_[number];
  const Transfer& t = pending.transfer;
  latency_[t.traffic_class].add(now_ - pending.sent);
  Flow& flow = flows_[pending.flow];
  flow.oldest = pending.next;
  if (--flow.unfinished == 0) {
    flow_numbers_.erase(StreamKey(t));
    leave(pending.flow);
    flows_.release(pending.flow);
  }
  deliver(number, false);
}

void PacketNetwork::deliver(std::uint32_t number, bool lost) {
  const Pending& pending = pending_[number];
  Delivery delivery;
  delivery.transfer = pending.transfer;
  delivery.sent = pending.sent;
  delivery.arrived = now_;
  delivery.lost = lost;
  arrived_->push_back(delivery);
  pending_.release(number);
}

}  // namespace tern::fabric::packet

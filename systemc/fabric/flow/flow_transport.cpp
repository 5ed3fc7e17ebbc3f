// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/flow/flow_transport.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sw/base/user_error.h"

namespace tern::fabric {

namespace {

// A flow leaves when this share of its own time is left, if another one ends: it leaves the rest of
// its bytes to others, and keeps its own time.
constexpr double kTogether = 5e-3;
// With more flows than this it is this share, and starts wait for others: as much of the time that
// they take alone, or 20 ns.
constexpr std::size_t kManyFlows = 512;
constexpr double kManyTogether = 2e-2, kHeldFs = 20e6;

}  // namespace

FlowTransport::FlowTransport(const system::Fabric& fabric) {
  build(fabric, packet::routes_of(fabric));
}

void FlowTransport::build(const system::Fabric& fabric, std::unique_ptr<packet::Routes> routes) {
  routes_ = std::move(routes);
  shape_ = packet::shape_of(fabric, routes_->vcs());
  std::vector<double> capacities;
  capacities.reserve(shape_.channels.size());
  for (const packet::Channel& channel : shape_.channels) {
    capacities.push_back(1 / channel.byte_fs);
    byte_fs_.push_back(channel.byte_fs);
  }
  busy_.resize(shape_.channels.size());
  rates_ = std::make_unique<flow::MaxMin>(capacities, packet::kClasses);
  for (const packet::Channel& channel : shape_.channels)
    lookahead_ = std::min(lookahead_, channel.head);
  if (!byte_fs_.empty()) least_byte_fs_ = *std::min_element(byte_fs_.begin(), byte_fs_.end());
}

void FlowTransport::announce() {
  if (fault_mode_)
    throw UserError("faults of links while programs run: at level packet, not at level flow");
  Transport::announce();
}

void FlowTransport::send(const Transfer& transfer, Time now) {
  plan({transfer, &streams_[StreamKey(transfer)], now, now, 0, sent_++});
}

void FlowTransport::plan(Start start) {
  const double alone = least_byte_fs_ * static_cast<double>(start.transfer.bytes);
  start.latest = start.at + static_cast<Time>(std::max(kManyTogether * alone, kHeldFs));
  latest_.insert(start.latest);
  starts_.push(start);
}

Time FlowTransport::next_time() const {
  Time next = change_;
  next = std::min(next, next_start());
  if (!arrivals_.empty()) next = std::min(next, arrivals_.top().arrived);
  if (fault_mode_) next = std::min(next, fault_mode_->next_time());
  return next;
}

Time FlowTransport::next_start() const {
  if (starts_.empty()) return kNever;
  // Those that were held start at once when few flows are left.
  return flows_.size() <= kManyFlows ? std::max(starts_.top().at, now_) : *latest_.begin();
}

void FlowTransport::advance(Time until, std::vector<Delivery>& arrived) {
  for (Time next = next_time(); next <= until && next != kNever; next = next_time()) {
    now_ = next;
    const bool breaks = fault_mode_ && fault_mode_->next_time() <= now_;
    if (next_start() <= now_ || breaks || change_ <= now_) settle();
    if (change_ <= now_) end_flows();
    if (fault_mode_) handle_faults();
    if (next_start() <= now_) begin_flows();
    if (stale_) recompute();
    while (!arrivals_.empty() && arrivals_.top().arrived <= now_) {
      arrived.push_back(arrivals_.top());
      arrivals_.pop();
    }
  }
}

// What has flowed since the last time.
void FlowTransport::settle() {
  for (Flow& flow : flows_) {
    const double sent = flow.rate * static_cast<double>(now_ - settled_);
    flow.left -= sent;
    if (fault_mode_) carry(flow, sent);
  }
  settled_ = now_;
}

// Bytes of a flow have passed its channels.
void FlowTransport::carry(const Flow& flow, double bytes) {
  for (const std::uint32_t channel : flow.channels) busy_[channel] += bytes * byte_fs_[channel];
  if (fault_mode_) count_sent(flow, bytes);
}

std::vector<Time> FlowTransport::busy() const {
  std::vector<Time> times;
  times.reserve(busy_.size());
  for (const double fs : busy_) times.push_back(static_cast<Time>(std::llround(std::max(fs, 0.0))));
  return times;
}

// Sets channels and head. False: there is no way.
bool FlowTransport::find_way(Flow* flow) {
  if (fault_mode_) flow->avoids = fault_mode_->routes.obstacle(flow->transfer);
  std::vector<packet::Hop> hops;
  if (!routes_->path(flow->transfer, &hops)) return false;
  flow->channels.clear();
  flow->head = 0;
  for (const packet::Hop& hop : hops) {
    const packet::Channel& channel = shape_.channels[hop.channel];
    if (!flow->channels.empty()) flow->head += shape_.through[channel.from];
    flow->head += channel.head;
    flow->channels.push_back(hop.channel);
  }
  return true;
}

void FlowTransport::share_channels(Flow* flow) {
  const unsigned least_urgent = packet::kClasses - 1;
  flow->number =
      rates_->add(std::min<unsigned>(flow->transfer.traffic_class, least_urgent), flow->channels);
}

// All that are due.
void FlowTransport::begin_flows() {
  while (!starts_.empty() && starts_.top().at <= now_) {
    const Start start = starts_.top();
    starts_.pop();
    latest_.erase(latest_.find(start.latest));
    begin(start);
  }
}

void FlowTransport::begin(const Start& start) {
  Stream& stream = *start.stream;
  if (stream.flows && !start.follows) {
    stream.waiting.emplace_back(start.transfer, start.sent);
    return;
  }
  // The one before it ended with others, a little before its time.
  if (stream.free_at > now_) {
    plan({start.transfer, &stream, start.sent, stream.free_at, 0, start.number});
    return;
  }
  Flow flow;
  flow.transfer = start.transfer;
  flow.stream = &stream;
  flow.sent = start.sent;
  flow.began = now_;
  if (!find_way(&flow)) {
    lose(flow);
    return;
  }
  if (flow.avoids) ++fault_mode_->state.observed(*flow.avoids)[faults::Observed::kRerouted];
  const packet::Channel* slowest = nullptr;
  for (const std::uint32_t number : flow.channels) {
    const packet::Channel& channel = shape_.channels[number];
    if (slowest == nullptr || channel.byte_fs > slowest->byte_fs) slowest = &channel;
  }
  const std::uint64_t bytes = start.transfer.bytes;
  const std::uint64_t packets =
      std::max<std::uint64_t>(1, (bytes + shape_.max_payload - 1) / shape_.max_payload);
  const std::uint64_t padded = (bytes + 3) / 4 * 4;
  flow.left = static_cast<double>(padded) +
              static_cast<double>(packets) * slowest->packet_fs / slowest->byte_fs;
  flow.bytes = flow.left;
  flow.payload = static_cast<double>(bytes) / flow.left;
  share_channels(&flow);
  flows_.push_back(std::move(flow));
  stream.flows = true;
  stale_ = true;
}

// No way is left: neither for what waits behind it.
void FlowTransport::lose(const Flow& flow) {
  Stream& stream = *flow.stream;
  if (flow.avoids)
    fault_mode_->state.observed(*flow.avoids)[faults::Observed::kLost] += 1 + stream.waiting.size();
  arrive(flow.transfer, &stream, flow.sent, now_, true);
  for (const auto& [transfer, sent] : stream.waiting) arrive(transfer, &stream, sent, now_, true);
  stream.waiting.clear();
  stream.flows = false;
}

void FlowTransport::end_flows() {
  const double share = flows_.size() > kManyFlows ? kManyTogether : kTogether;
  const auto done = [&](const Flow& flow) {
    const double early = share * static_cast<double>(now_ - flow.began) + 1;
    return flow.left <= flow.rate * early;
  };
  for (const Flow& flow : flows_) {
    if (!done(flow)) continue;
    const double later = std::max(0.0, flow.left / flow.rate);
    const Time finish = now_ + static_cast<Time>(std::llround(later));
    carry(flow, fault_mode_ ? flow.left : flow.bytes);
    if (fault_mode_) fault_mode_->count_transfer(flow.channels, finish);
    rates_->remove(flow.number);
    Stream& stream = *flow.stream;
    arrive(flow.transfer, &stream, flow.sent, finish + flow.head, false);
    stream.flows = false;
    stream.free_at = finish;
    if (stream.waiting.empty()) continue;
    // Before any that is sent from now on.
    const auto [transfer, sent] = stream.waiting.front();
    stream.waiting.pop_front();
    stream.flows = true;
    plan({transfer, &stream, sent, finish, 0, sent_++, true});
  }
  flows_.erase(std::remove_if(flows_.begin(), flows_.end(), done), flows_.end());
  stale_ = true;
}

void FlowTransport::recompute() {
  stale_ = false;
  ++recomputed_;
  rates_->share();
  double soonest = std::numeric_limits<double>::infinity();
  for (Flow& flow : flows_) {
    flow.rate = rates_->rate(flow.number);
    if (flow.rate > 0) soonest = std::min(soonest, flow.left / flow.rate);
  }
  change_ = soonest == std::numeric_limits<double>::infinity()
                ? kNever
                : now_ + static_cast<Time>(std::llround(std::max(soonest, 1.0)));
  if (fault_mode_) find_crossing();
}

void FlowTransport::arrive(const Transfer& transfer, Stream* stream, Time sent, Time at,
                           bool lost) {
  // In the order of its stream, also when one took a shorter way than the one before.
  Time& last = stream->last_at;
  last = std::max(last, at);
  Arrival arrival;
  arrival.transfer = transfer;
  arrival.sent = sent;
  arrival.arrived = last;
  arrival.lost = lost;
  arrival.number = arrivals_made_++;
  if (!lost) certain(transfer, sent, arrival.arrived);
  arrivals_.push(arrival);
}

}  // namespace tern::fabric

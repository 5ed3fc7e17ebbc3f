// SPDX-License-Identifier: Apache-2.0
// What faults do to the flow level.
#include "systemc/fabric/flow/flow_faults.h"

#include <algorithm>
#include <cmath>

#include "systemc/fabric/flow/flow_transport.h"
#include "systemc/link/link_timing.h"

namespace tern::fabric {

using faults::Fault;
using faults::FaultState;
using faults::Observed;

namespace flow {

FaultMode::FaultMode(FaultState& fault_state, packet::RepairedRoutes& repaired)
    : state(fault_state),
      routes(repaired),
      counted(state.fabric().links().size()),
      carried(state.script().faults.size()),
      due(carried.size()),
      errors(2 * counted.size()),
      rest(errors.size()) {
  const std::vector<Fault>& faults = state.script().faults;
  for (std::uint32_t n = 0; n < faults.size(); ++n) {
    if (faults[n].from == Fault::From::kTime) events.push({faults[n].at, 2 * n});
    for (const std::uint32_t link : faults[n].counted) counted[link].push_back(n);
  }
}

void FaultMode::count_transfer(const std::vector<std::uint32_t>& channels, Time at) {
  for (const std::uint32_t channel : channels) {
    for (const std::uint32_t n : counted[channel / 2]) {
      const Fault& fault = state.script().faults[n];
      if (due[n] || fault.from != Fault::From::kTransfers) continue;
      carried[n] += 1;
      if (carried[n] < static_cast<double>(fault.count)) continue;
      due[n] = true;
      events.push({at, 2 * n});
    }
  }
}

}  // namespace flow

FlowTransport::FlowTransport(FaultState& state) {
  auto routes = std::make_unique<packet::RepairedRoutes>(state);
  fault_mode_ = std::make_unique<flow::FaultMode>(state, *routes);
  build(state.fabric(), std::move(routes));
}

void FlowTransport::handle_faults() {
  flow::FaultMode& mode = *fault_mode_;
  for (std::uint32_t n = 0; n < mode.carried.size(); ++n) {
    // Half a byte less is a matter of rounding.
    const auto enough = static_cast<double>(mode.state.script().faults[n].count) - 0.5;
    if (!mode.waits_for_bytes(n) || mode.carried[n] < enough) continue;
    mode.due[n] = true;
    mode.events.push({now_, 2 * n});
  }
  if (mode.crossing <= now_) stale_ = true;  // to find the next one
  while (!mode.events.empty() && mode.events.top().first <= now_) {
    const std::uint32_t item = mode.events.top().second;
    mode.events.pop();
    if (item % 2 == 1) {
      update(mode.state.end(item / 2));
      continue;
    }
    update(mode.state.begin(item / 2, now_));
    const Fault& fault = mode.state.script().faults[item / 2];
    if (FaultState::ends(fault)) mode.events.push({now_ + fault.lasts, item + 1});
  }
  if (mode.epoch != mode.state.epoch()) reroute();
}

// Rates of links as they are from now on.
void FlowTransport::update(const std::vector<std::uint32_t>& links) {
  flow::FaultMode& mode = *fault_mode_;
  const system::Fabric& fabric = mode.state.fabric();
  for (const std::uint32_t link : links) {
    const unsigned lanes = mode.state.lanes(link);
    for (const std::uint32_t number : {2 * link, 2 * link + 1}) {
      if (lanes == 0) continue;
      packet::Channel& channel = shape_.channels[number];
      channel = packet::channel_of(fabric, number, lanes);
      system::LinkConfig config = fabric.config().link;
      config.bit_error_rate = mode.state.bit_error_rate(link);
      const link::LinkTiming timing(config, lanes, fabric.config().lane_gb_per_s,
                                    fabric.links()[link].medium, channel.from < fabric.chips(),
                                    channel.to < fabric.chips());
      const double share = mode.state.flaps(link) ? 0 : 1 - timing.replay_share();
      rates_->set_capacity(number, share / channel.byte_fs);
      if (share > 0) byte_fs_[number] = channel.byte_fs / share;
      // A byte is so many units; each is sent until it is not lost.
      const double units = static_cast<double>(timing.units(config.train_bytes)) *
                           timing.byte_time() / timing.occupancy(config.train_bytes);
      const double sent = 1 / (1 - timing.loss_probability());
      mode.errors[number] = {units * (sent - 1), units * sent * timing.corrected_probability()};
    }
  }
  stale_ = true;
}

// Bytes of a flow have gone over its channels.
void FlowTransport::count_sent(const Flow& flow, double bytes) {
  flow::FaultMode& mode = *fault_mode_;
  for (const std::uint32_t channel : flow.channels) {
    for (const std::uint32_t n : mode.counted[channel / 2]) {
      if (mode.waits_for_bytes(n)) mode.carried[n] += bytes * flow.payload;
    }
    const flow::ErrorRates& rates = mode.errors[channel];
    if (rates.replayed + rates.corrected <= 0) continue;
    faults::ObservedCounts& observed = mode.state.observed(channel / 2);
    const auto add = [&](double* rest, double more, Observed what) {
      *rest += std::max(more, 0.0);
      const double whole = std::floor(*rest);
      *rest -= whole;
      observed[what] += static_cast<std::uint64_t>(whole);
    };
    add(&mode.rest[channel].replayed, bytes * rates.replayed, Observed::kReplayed);
    add(&mode.rest[channel].corrected, bytes * rates.corrected, Observed::kCorrected);
  }
}

// At the present rates, when a fault's links have carried enough.
void FlowTransport::find_crossing() {
  flow::FaultMode& mode = *fault_mode_;
  mode.crossing = kNever;
  std::vector<double> rates(mode.carried.size());
  for (const Flow& flow : flows_) {
    for (const std::uint32_t channel : flow.channels) {
      for (const std::uint32_t n : mode.counted[channel / 2]) rates[n] += flow.rate * flow.payload;
    }
  }
  for (std::uint32_t n = 0; n < rates.size(); ++n) {
    if (!mode.waits_for_bytes(n) || rates[n] <= 0) continue;
    const double left = static_cast<double>(mode.state.script().faults[n].count) - mode.carried[n];
    const double later = std::max(left / rates[n], 1.0);
    // Further than any simulation goes: it is looked at again when rates change.
    if (later > 1e18) continue;
    mode.crossing = std::min(mode.crossing, now_ + static_cast<Time>(std::llround(later)));
  }
}

// Other links are usable: flows whose way is not what it would be now get that.
void FlowTransport::reroute() {
  flow::FaultMode& mode = *fault_mode_;
  mode.epoch = mode.state.epoch();
  const auto keeps = [&](Flow& flow) {
    const auto broken =
        std::find_if(flow.channels.begin(), flow.channels.end(),
                     [&](std::uint32_t channel) { return !mode.state.usable(channel / 2); });
    const bool hit = broken != flow.channels.end();
    if (!hit && !flow.avoids) return true;
    const std::uint32_t link = hit ? *broken / 2 : 0;
    rates_->remove(flow.number);
    if (!find_way(&flow)) {
      flow.avoids = link;
      return false;
    }
    share_channels(&flow);
    // With all that waits behind it.
    if (hit) mode.state.observed(link)[Observed::kRerouted] += 1 + flow.stream->waiting.size();
    return true;
  };
  std::vector<Flow> kept, lost;
  for (Flow& flow : flows_) (keeps(flow) ? kept : lost).push_back(std::move(flow));
  flows_ = std::move(kept);
  for (const Flow& flow : lost) lose(flow);
  stale_ = true;
}

}  // namespace tern::fabric

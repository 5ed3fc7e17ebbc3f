// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/flow/max_min.h"

#include <algorithm>
#include <limits>

namespace tern::fabric::flow {

namespace {

// If most flows had to get a new rate, the next rounds do not look for those that need none.
constexpr unsigned kWholeRounds = 15;

}  // namespace

MaxMin::MaxMin(const std::vector<double>& capacity, unsigned classes)
    : channels_(capacity.size()), classes_(classes) {
  for (std::size_t c = 0; c < capacity.size(); ++c) channels_[c].capacity = capacity[c];
  for (Class& flows : classes_) flows.resize(capacity.size());
}

std::uint32_t MaxMin::add(unsigned traffic_class, const std::vector<std::uint32_t>& channels) {
  const std::size_t count = channels.size();
  if (free_.size() <= count) free_.resize(count + 1);
  std::uint32_t number = static_cast<std::uint32_t>(flows_.size());
  if (!free_[count].empty()) {
    number = free_[count].back();
    free_[count].pop_back();
  } else {
    Flow flow;
    flow.first = static_cast<std::uint32_t>(hops_.size());
    flow.hops = static_cast<std::uint32_t>(count);
    flows_.push_back(flow);
    hops_.resize(hops_.size() + count);
  }
  Flow& flow = flows_[number];
  flow.traffic_class = traffic_class;
  flow.waits = false;
  flow.rate = count == 0 ? std::numeric_limits<double>::infinity() : 0;
  ++in_use_;
  Class& others = classes_[traffic_class];
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t channel = channels[i];
    std::vector<User>& list = others[channel];
    const auto hop = static_cast<std::uint32_t>(flow.first + i);
    hops_[hop] = {channel, static_cast<std::uint32_t>(list.size())};
    list.push_back({number, hop});
    change(channel);
  }
  return number;
}

void MaxMin::remove(std::uint32_t number) {
  const Flow& flow = flows_[number];
  Class& others = classes_[flow.traffic_class];
  for (std::uint32_t hop = flow.first; hop < flow.first + flow.hops; ++hop) {
    const std::uint32_t channel = hops_[hop].channel;
    std::vector<User>& list = others[channel];
    hops_[list.back().hop].place = hops_[hop].place;
    list[hops_[hop].place] = list.back();
    list.pop_back();
    change(channel);
  }
  free_[flow.hops].push_back(number);
  --in_use_;
}

void MaxMin::share() {
  if (whole_rounds_ > 0) {
    --whole_rounds_;
    change_all();
  } else {
    find_changed();
  }
  for (const std::uint32_t c : changed_) channels_[c].left = channels_[c].capacity;
  for (const Class& flows : classes_) share(flows);
  for (const std::uint32_t c : changed_) channels_[c].changed = false;
  changed_.clear();
}

// Flows of changed channels wait for a new rate, and all their channels are changed, and so on.
void MaxMin::find_changed() {
  std::size_t found = 0;
  for (std::size_t next = 0; next < changed_.size(); ++next) {
    const std::uint32_t channel = changed_[next];
    for (const Class& flows : classes_) {
      for (const User& user : flows[channel]) {
        Flow& flow = flows_[user.flow];
        if (flow.waits) continue;
        flow.waits = true;
        ++found;
        for (std::uint32_t hop = flow.first; hop < flow.first + flow.hops; ++hop)
          change(hops_[hop].channel);
      }
    }
  }
  if (2 * found > in_use_) whole_rounds_ = kWholeRounds;
}

void MaxMin::change_all() {
  for (std::uint32_t c = 0; c < channels_.size(); ++c) change(c);
  for (Flow& flow : flows_) flow.waits = true;
}

void MaxMin::share(const Class& flows) {
  offers_.clear();
  const auto offer = [&](std::uint32_t number) {
    const Channel& channel = channels_[number];
    return Offer{std::max(channel.left, 0.0) / channel.waiting, number};
  };
  for (const std::uint32_t c : changed_) {
    channels_[c].waiting = static_cast<std::uint32_t>(flows[c].size());
    if (channels_[c].waiting > 0) offers_.push_back(offer(c));
  }
  std::make_heap(offers_.begin(), offers_.end());
  while (!offers_.empty()) {
    const Offer least = offers_.front();
    std::pop_heap(offers_.begin(), offers_.end());
    offers_.pop_back();
    if (channels_[least.channel].waiting == 0) continue;
    // An offer only grows while others are settled: it is looked at again when it is on top.
    const Offer now = offer(least.channel);
    if (now.share > least.share) {
      offers_.push_back(now);
      std::push_heap(offers_.begin(), offers_.end());
      continue;
    }
    for (const User& user : flows[least.channel]) {
      if (channels_[least.channel].waiting == 0) break;
      Flow& flow = flows_[user.flow];
      if (!flow.waits) continue;
      flow.waits = false;
      flow.rate = now.share;
      for (std::uint32_t hop = flow.first; hop < flow.first + flow.hops; ++hop) {
        Channel& channel = channels_[hops_[hop].channel];
        channel.left -= now.share;
        --channel.waiting;
      }
    }
  }
}

}  // namespace tern::fabric::flow

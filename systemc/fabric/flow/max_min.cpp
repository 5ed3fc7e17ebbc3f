// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/flow/max_min.h"

#include <algorithm>
#include <limits>

namespace tern::fabric::flow {

void MaxMin::share(const std::vector<const std::vector<std::uint32_t>*>& flows,
                   std::vector<double>* rates) {
  rates->assign(flows.size(), std::numeric_limits<double>::infinity());
  path_.clear();
  begin_.clear();
  for (Channel& channel : channels_) channel.users = 0;
  for (const auto* path : flows) {
    begin_.push_back(static_cast<std::uint32_t>(path_.size()));
    path_.insert(path_.end(), path->begin(), path->end());
    for (const std::uint32_t channel : *path) ++channels_[channel].users;
  }
  begin_.push_back(static_cast<std::uint32_t>(path_.size()));
  std::uint32_t first = 0;
  for (Channel& channel : channels_) {
    first += channel.users;
    channel.first = first;
  }
  flows_of_.resize(path_.size());
  for (std::uint32_t f = 0; f < flows.size(); ++f) {
    for (std::uint32_t i = begin_[f]; i < begin_[f + 1]; ++i)
      flows_of_[--channels_[path_[i]].first] = f;
  }
  offers_.clear();
  const auto offer = [&](std::uint32_t number) {
    const Channel& channel = channels_[number];
    return Offer{std::max(channel.left, 0.0) / channel.users, number};
  };
  for (std::uint32_t c = 0; c < channels_.size(); ++c) {
    if (channels_[c].users > 0) offers_.push_back(offer(c));
  }
  std::make_heap(offers_.begin(), offers_.end());
  while (!offers_.empty()) {
    const Offer least = offers_.front();
    std::pop_heap(offers_.begin(), offers_.end());
    offers_.pop_back();
    if (channels_[least.channel].users == 0) continue;
    // An offer only grows while others are settled: it is looked at again when it is on top.
    const Offer now = offer(least.channel);
    if (now.share > least.share) {
      offers_.push_back(now);
      std::push_heap(offers_.begin(), offers_.end());
      continue;
    }
    const std::uint32_t* flow = &flows_of_[channels_[least.channel].first];
    while (channels_[least.channel].users > 0) {
      const std::uint32_t f = *flow++;
      if ((*rates)[f] != std::numeric_limits<double>::infinity()) continue;
      (*rates)[f] = now.share;
      for (std::uint32_t i = begin_[f]; i < begin_[f + 1]; ++i) {
        Channel& channel = channels_[path_[i]];
        channel.left -= now.share;
        --channel.users;
      }
    }
  }
}

}  // namespace tern::fabric::flow

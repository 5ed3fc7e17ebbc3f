// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/flow/max_min.h"

#include <algorithm>
#include <limits>

namespace tern::fabric::flow {

void MaxMin::share(const std::vector<const std::vector<std::uint32_t>*>& flows,
                   std::vector<double>* rates) {
  const std::size_t channels = capacity_.size();
  rates->assign(flows.size(), std::numeric_limits<double>::infinity());
  users_.assign(channels, 0);
  version_.assign(channels, 0);
  for (const auto* path : flows) {
    for (const std::uint32_t channel : *path) ++users_[channel];
  }
  first_.assign(channels + 1, 0);
  for (std::size_t c = 0; c < channels; ++c) first_[c + 1] = first_[c] + users_[c];
  flows_of_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t f = 0; f < flows.size(); ++f) {
    for (const std::uint32_t channel : *flows[f])
      flows_of_[next[channel]++] = static_cast<std::uint32_t>(f);
  }
  offers_.clear();
  const auto offer = [&](std::uint32_t channel) {
    return Offer{std::max(left_[channel], 0.0) / users_[channel], channel, version_[channel]};
  };
  for (std::uint32_t c = 0; c < channels; ++c) {
    if (users_[c] > 0) offers_.push_back(offer(c));
  }
  std::make_heap(offers_.begin(), offers_.end());
  std::vector<std::uint32_t> touched;
  while (!offers_.empty()) {
    const Offer least = offers_.front();
    std::pop_heap(offers_.begin(), offers_.end());
    offers_.pop_back();
    if (users_[least.channel] == 0 || least.version != version_[least.channel]) continue;
    touched.clear();
    for (std::uint32_t i = first_[least.channel]; i < first_[least.channel + 1]; ++i) {
      const std::uint32_t flow = flows_of_[i];
      if ((*rates)[flow] != std::numeric_limits<double>::infinity()) continue;
      (*rates)[flow] = least.share;
      for (const std::uint32_t channel : *flows[flow]) {
        left_[channel] -= least.share;
        --users_[channel];
        touched.push_back(channel);
      }
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (const std::uint32_t channel : touched) {
      ++version_[channel];
      if (users_[channel] == 0) continue;
      offers_.push_back(offer(channel));
      std::push_heap(offers_.begin(), offers_.end());
    }
  }
}

}  // namespace tern::fabric::flow

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tern::fabric::flow {

// Rates of flows over shared channels, max-min fair: no flow can get more without one that has no
// more getting less. By progressive filling: the channel whose flows get least is settled first.
class MaxMin {
 public:
  explicit MaxMin(const std::vector<double>& capacity) : channels_(capacity.size()) {
    for (std::size_t c = 0; c < capacity.size(); ++c) channels_[c].capacity = capacity[c];
    reset();
  }

  // From the next reset on.
  void set_capacity(std::uint32_t channel, double capacity) {
    channels_[channel].capacity = capacity;
  }
  // All capacity is free again.
  void reset() {
    for (Channel& channel : channels_) channel.left = channel.capacity;
  }
  // The rates of these flows, each a list of channels, from what is left; takes them from it. A
  // flow without channels has no limit: infinity.
  void share(const std::vector<const std::vector<std::uint32_t>*>& flows,
             std::vector<double>* rates);

  double left(std::uint32_t channel) const { return channels_[channel].left; }

 private:
  struct Offer {
    double share;
    std::uint32_t channel;
    bool operator<(const Offer& o) const {  // the smallest on top
      return share != o.share ? share > o.share : channel > o.channel;
    }
  };

  struct Channel {
    double capacity = 0, left = 0;
    std::uint32_t users = 0;  // flows without a rate
    std::uint32_t first = 0;  // of its flows in flows_of_
  };

  std::vector<Channel> channels_;
  // Of the current call.
  std::vector<std::uint32_t> flows_of_;
  std::vector<std::uint32_t> path_, begin_;  // paths of the flows, one behind the other
  std::vector<Offer> offers_;                // a heap
};

}  // namespace tern::fabric::flow

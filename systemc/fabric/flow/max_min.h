// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tern::fabric::flow {

// Rates of flows over shared channels, max-min fair: no flow can get more without one that has no
// more getting less. By progressive filling: the channel whose flows get least is settled first.
class MaxMin {
 public:
  explicit MaxMin(std::vector<double> capacity) : capacity_(std::move(capacity)) { reset(); }

  // From the next reset on.
  void set_capacity(std::uint32_t channel, double capacity) { capacity_[channel] = capacity; }
  // All capacity is free again.
  void reset() { left_ = capacity_; }
  // The rates of these flows, each a list of channels, from what is left; takes them from it. A
  // flow without channels has no limit: infinity.
  void share(const std::vector<const std::vector<std::uint32_t>*>& flows,
             std::vector<double>* rates);

  double left(std::uint32_t channel) const { return left_[channel]; }

 private:
  struct Offer {
    double share;
    std::uint32_t channel, version;
    bool operator<(const Offer& o) const {  // the smallest on top
      return share != o.share ? share > o.share : channel > o.channel;
    }
  };

  std::vector<double> capacity_, left_;
  // By channel, of the current call.
  std::vector<std::uint32_t> users_, version_, first_, flows_of_;
  std::vector<Offer> offers_;  // a heap
};

}  // namespace tern::fabric::flow

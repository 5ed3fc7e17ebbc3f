// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tern::fabric::flow {

// Rates of flows over shared channels, max-min fair: no flow can get more without one that has no
// more getting less. By progressive filling: the channel whose flows get least is settled first.
// Flows of class 0 get all they can; those of the next one share what is left, and so on.
class MaxMin {
 public:
  MaxMin(const std::vector<double>& capacity, unsigned classes);

  void set_capacity(std::uint32_t channel, double capacity) {
    channels_[channel].capacity = capacity;
    change(channel);
  }
  // A flow that takes these channels; its number is in use until it is removed.
  std::uint32_t add(unsigned traffic_class, const std::vector<std::uint32_t>& channels);
  void remove(std::uint32_t flow);
  // The rates of all flows: anew of those that share channels, directly or through others, with
  // what has changed.
  void share();

  // As shared last. A flow without channels has no limit: infinity.
  double rate(std::uint32_t flow) const { return flows_[flow].rate; }

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
    std::uint32_t waiting = 0;  // hops of flows of the present class without a rate
    bool changed = false;       // is among changed_
  };
  // Of a flow, over a channel. Those of a flow are in sequence.
  struct Hop {
    std::uint32_t channel = 0;
    std::uint32_t place = 0;  // in the list of its channel
  };
  struct User {  // of a channel
    std::uint32_t flow = 0, hop = 0;
  };
  struct Flow {
    std::uint32_t first = 0, hops = 0;
    unsigned traffic_class = 0;
    bool waits = false;  // for a rate
    double rate = 0;
  };
  using Class = std::vector<std::vector<User>>;  // of each channel

  void change(std::uint32_t channel) {
    if (channels_[channel].changed) return;
    channels_[channel].changed = true;
    changed_.push_back(channel);
  }
  void find_changed();
  void change_all();
  void share(const Class& flows);

  std::vector<Channel> channels_;
  std::vector<Class> classes_;
  std::vector<Flow> flows_;
  std::vector<Hop> hops_;
  std::vector<std::vector<std::uint32_t>> free_;  // [hops]: flows that were removed
  std::vector<std::uint32_t> changed_;            // channels, since the last round
  std::size_t in_use_ = 0;                        // flows
  unsigned whole_rounds_ = 0;                     // to come, without a look at what has changed
  std::vector<Offer> offers_;                     // a heap
};

}  // namespace tern::fabric::flow

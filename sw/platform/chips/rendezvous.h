// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

namespace tern {

// Hosts of chips that wait for each other, as over the network of their servers: all go on a fixed
// time after the last has come. Hosts of other processes take part (distribution.h).
class Rendezvous {
 public:
  Rendezvous(unsigned hosts, std::uint64_t delay_fs) : hosts_(hosts), delay_fs_(delay_fs) {}

  std::uint64_t delay_fs() const { return delay_fs_; }
  // In a SystemC thread of a host.
  void wait();

  // With hosts elsewhere: when those here have come, since the last call; when those of all
  // processes have. goes_on(): of the last meeting; 0: there was none.
  void with_others() { alone_ = false; }
  std::vector<std::uint64_t> take_arrivals();
  void come(const std::vector<std::uint64_t>& times);
  std::uint64_t goes_on() const { return goes_on_; }

 private:
  const unsigned hosts_;
  const std::uint64_t delay_fs_;
  bool alone_ = true;
  unsigned here_ = 0;       // have come
  std::uint64_t last_ = 0;  // of them
  std::uint64_t goes_on_ = 0;
  std::vector<std::uint64_t> arrivals_;
  sc_core::sc_event go_on_;
};

}  // namespace tern

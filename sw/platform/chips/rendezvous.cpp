// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/chips/rendezvous.h"

#include <algorithm>
#include <utility>

#include "systemc/trace/sim_time.h"

namespace tern {

void Rendezvous::wait() {
  alone_ ? come({now_fs()}) : arrivals_.push_back(now_fs());
  sc_core::wait(go_on_);
}

std::vector<std::uint64_t> Rendezvous::take_arrivals() {
  return std::exchange(arrivals_, {});
}

void Rendezvous::come(const std::vector<std::uint64_t>& times) {
  for (const std::uint64_t time : times) {
    ++here_;
    last_ = std::max(last_, time);
  }
  if (here_ < hosts_) return;
  here_ = 0;
  goes_on_ = last_ + delay_fs_;
  go_on_.notify(from_fs(goes_on_ - now_fs()));
}

}  // namespace tern

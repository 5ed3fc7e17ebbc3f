// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "systemc/fabric/transport.h"

namespace tern::tb {

// Every transfer arrives after the same time: a network whose times a test can compute by hand.
class PipeTransport : public fabric::Transport {
 public:
  explicit PipeTransport(fabric::Time latency) : latency_(latency) {}
  const char* level() const override { return "pipe"; }
  void send(const fabric::Transfer& transfer, fabric::Time now) override {
    waiting_.push_back({transfer, now, now + latency_, broken});
    if (!broken) certain(transfer, now, now + latency_);
    ++transfers;
    bytes += transfer.bytes;
  }
  fabric::Time next_time() const override {
    fabric::Time next = fabric::kNever;
    for (const auto& delivery : waiting_) next = std::min(next, delivery.arrived);
    return next;
  }
  void advance(fabric::Time until, std::vector<fabric::Delivery>& arrived) override {
    const auto due = std::stable_partition(waiting_.begin(), waiting_.end(),
                                           [&](const auto& d) { return d.arrived > until; });
    const auto key = [](const fabric::Delivery& d) {
      return std::tuple(d.arrived, d.transfer.target, d.transfer.source, d.transfer.stream);
    };
    std::stable_sort(due, waiting_.end(),
                     [&](const auto& a, const auto& b) { return key(a) < key(b); });
    arrived.insert(arrived.end(), due, waiting_.end());
    waiting_.erase(due, waiting_.end());
  }

  fabric::Time lookahead() const override { return latency_; }

  std::uint64_t transfers = 0, bytes = 0;
  // Sends are lost from now on.
  bool broken = false;
  void set_latency(fabric::Time latency) { latency_ = latency; }

 private:
  fabric::Time latency_;
  std::vector<fabric::Delivery> waiting_;
};

}  // namespace tern::tb

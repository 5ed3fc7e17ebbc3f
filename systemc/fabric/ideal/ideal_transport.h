// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "sw/system/fabric.h"
#include "sw/system/routing.h"
#include "systemc/fabric/transport.h"

namespace tern::fabric {

// Every transfer has the system for itself: the time of an idle path (systemc/link), and nobody
// waits for anybody else. The lower bound that other levels are compared with. It borrows the
// fabric.
class IdealTransport : public Transport {
 public:
  explicit IdealTransport(const system::Fabric& fabric);

  const char* level() const override { return "ideal"; }
  void send(const Transfer& transfer, Time now) override;
  Time next_time() const override { return pending_.empty() ? kNever : pending_.top().arrived; }
  void advance(Time until, std::vector<Delivery>& arrived) override;
  Time lookahead() const override { return lookahead_; }

  // Of the shortest way, the first by numbers; kNever: there is none.
  Time latency(std::uint32_t source, std::uint32_t target, std::uint64_t bytes);

 private:
  struct Way {
    bool exists = false;
    double head_ns = 0;                            // links, switches, chips in between
    std::vector<std::pair<double, double>> lines;  // time of a byte and of a packet, in ns
  };
  struct Pending : Delivery {
    std::uint64_t number = 0;  // of the send: within one stream the order
    auto key() const {
      return std::tuple(arrived, transfer.target, transfer.source, transfer.stream, number);
    }
    bool operator<(const Pending& other) const { return key() > other.key(); }  // earliest on top
  };

  const Way& way(std::uint32_t source, std::uint32_t target);

  const system::Fabric& fabric_;
  Time lookahead_ = kNever;                         // the least head latency of a link
  std::map<std::uint32_t, system::Routes> routes_;  // from a source
  std::map<std::pair<std::uint32_t, std::uint32_t>, Way> ways_;
  // Last arrival of a stream: source, target, class, stream.
  std::map<std::tuple<std::uint32_t, std::uint32_t, unsigned, std::uint32_t>, Time> last_;
  std::priority_queue<Pending> pending_;
  std::uint64_t sent_ = 0;
};

}  // namespace tern::fabric

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "systemc/noc/event_queue.h"
#include "systemc/noc/message.h"
#include "systemc/noc/resource.h"
#include "systemc/trace/load_interval.h"

namespace tern::noc {

// Messages in transit through resources, without SystemC. Event driven: an event per resource on
// the route and one for the delivery. Results depend on times and on Message::order only, never on
// the order of calls in an instant. This requires that nothing is sent with a first latency of 0
// outside of `run`.
class Network {
 public:
  class Receiver {
   public:
    virtual ~Receiver() = default;
    // `now` may be early for a message that allows it.
    virtual void delivered(Message& message, std::uint64_t now) = 0;
  };

  explicit Network(Receiver& receiver) : receiver_(receiver) {}

  unsigned add_resource(std::string name, double gb_per_s, const qos::Settings& settings);
  unsigned resources() const { return static_cast<unsigned>(resources_.size()); }
  Resource& resource(unsigned n) { return resources_[n]; }
  const Resource& resource(unsigned n) const { return resources_[n]; }

  // The message leaves its sender at `now`.
  void send(Message& message, std::uint64_t now);
  // Time of the next event; UINT64_MAX: none.
  std::uint64_t next() const { return events_.next_time(); }
  // The minimum first latency of what is sent outside of `run`.
  void set_lookahead(std::uint64_t fs) { lookahead_ = fs; }
  // Runs everything up to and including `now`; and what follows within the lookahead, as long as it
  // involves only the resources and receivers of messages `ahead`: nothing can come between.
  void run(std::uint64_t now);

 private:
  // Orders of events that are not a message's; the resource is in the low bits.
  static constexpr std::uint64_t kWake = std::uint64_t{1} << 63, kInterval = kWake | kWake >> 1;

  static bool may_run_ahead(const Event& event);
  void handle(const Event& event);
  void mark(unsigned resource);
  void decide(std::uint64_t now);
  void serve(unsigned resource, std::uint64_t now);

  Receiver& receiver_;
  std::uint64_t lookahead_ = 0;
  std::deque<Resource> resources_;
  EventQueue events_;
  std::vector<unsigned> dirty_;  // resources to decide about; none depends on another one
};

}  // namespace tern::noc

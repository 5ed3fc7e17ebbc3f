// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/passes/queue_times.h"

#include <algorithm>

#include "sw/spec/activation_tables.h"

namespace tern::nki {

namespace {

// Transfers of a ring that can be in flight: semaphores that the kernel builder gives it.
constexpr std::size_t kInFlight = 32, kGeneratedInFlight = 8;

}  // namespace

double QueueTimes::issue_time(const Cost& cost, double ready) const {
  double time = std::max(free_[cost.queue], ready);
  if (!cost.transfer) return time;
  const Ring ring = ring_of(cost);
  const auto found = in_flight_.find(ring);
  const std::size_t most = ring.second ? kGeneratedInFlight : kInFlight;
  if (found != in_flight_.end() && found->second.size() >= most) {
    time = std::max(time, found->second[found->second.size() - most]);
  }
  return time;
}

double QueueTimes::data_time(const Cost& cost, double ready) const {
  double begin = issue_time(cost, ready) + cost.interval_ns;
  if (cost.transfer->generator_ns > 0) begin = std::max(begin, generator_free_[cost.queue]);
  return std::max(begin + cost.transfer->start_ns, data_free_);
}

double QueueTimes::issue(const Cost& cost, double ready) {
  const double issued = issue_time(cost, ready);
  double complete = 0;
  free_[cost.queue] = issued + cost.interval_ns;
  if (cost.transfer) {
    complete = transfer(cost, free_[cost.queue]);
  } else {
    if (cost.activates) {
      const auto tables = tables_of_function(static_cast<unsigned>(cost.function));
      if (tables && tables != tables_) free_[cost.queue] += chip_.core.table_load_ns;
      if (tables) tables_ = tables;
    }
    complete = free_[cost.queue] + cost.latency_ns;
  }
  end_ = std::max(end_, complete);
  return complete;
}

double QueueTimes::transfer(const Cost& cost, double issued) {
  double begin = issued, made = 0;
  if (cost.transfer->generator_ns > 0) {
    double& generator = generator_free_[cost.queue];
    begin = std::max(begin, generator);
    made = generator = begin + cost.transfer->generator_ns;
  }
  data_free_ = std::max(begin + cost.transfer->start_ns, data_free_) + cost.transfer->data_ns;
  const double complete = std::max(data_free_, made) + cost.latency_ns;
  std::deque<double>& ring = in_flight_[ring_of(cost)];
  ring.push_back(complete);
  if (ring.size() > kInFlight) ring.pop_front();
  return complete;
}

}  // namespace tern::nki

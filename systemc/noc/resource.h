// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "systemc/noc/message.h"
#include "systemc/qos/class_shaper.h"
#include "systemc/trace/latency_histogram.h"
#include "systemc/trace/trace.h"

namespace tern::noc {

constexpr unsigned kFlitBytes = 64;  // bytes that a resource moves at once

struct ResourceStatistics {
  std::uint64_t messages = 0, bytes = 0;
  std::uint64_t busy_fs = 0;
  trace::LatencyHistogram waiting;
};

// Something with a rate that serves one message at a time: a port or a link. Messages wait in a
// queue per class; the shaper chooses the class, and within a class the order of arrival decides.
// With the policy round robin, classes are ignored.
class Resource {
 public:
  Resource(std::string name, double gb_per_s, const qos::Settings& settings);

  const std::string& name() const { return name_; }
  double gb_per_s() const { return gb_per_s_; }
  const ResourceStatistics& statistics(unsigned traffic_class) const {
    return statistics_[traffic_class];
  }
  // Maximum number of messages that have waited at once.
  unsigned longest_queue() const { return longest_queue_; }
  void reset_statistics();
  // Counters "busy" (share of the time) and "waiting" (messages) on a separate track.
  void trace_to(trace::Bus* bus);

  // For Network. A message takes whole flits.
  std::uint64_t occupancy_fs(std::uint32_t bytes) const;
  void enqueue(std::uint64_t now, Message& message);
  bool waiting() const { return waiting_ != 0; }
  std::uint64_t free_at_fs() const { return free_at_; }
  // The resource is free and a message waits: the one it serves now.
  Message& grant(std::uint64_t now);
  // Ends an interval of the trace; false when nothing happened in it, so that none follows.
  bool end_interval(std::uint64_t now, std::uint64_t interval_fs);
  bool traced() const { return bus_ != nullptr && bus_->enabled(); }
  // For a snapshot, while nothing waits.
  void archive_state(base::StateArchive& archive, std::uint64_t now);

  bool wake_pending = false, interval_pending = false, dirty = false;

 private:
  struct Queue {
    Message* first = nullptr;
    Message* last = nullptr;
  };

  const std::string name_;
  const double gb_per_s_;
  std::uint64_t shaper_cycle_fs_;
  std::array<std::uint64_t, 1024 / kFlitBytes + 1> flits_fs_{};
  qos::ClassShaper shaper_;
  std::array<Queue, qos::kClasses> queues_;
  unsigned waiting_ = 0;  // messages
  std::uint64_t free_at_ = 0;

  std::array<ResourceStatistics, qos::kClasses> statistics_;
  unsigned longest_queue_ = 0;

  trace::Bus* bus_ = nullptr;
  trace::TrackId track_ = 0;
  std::uint64_t interval_busy_fs_ = 0;
  unsigned interval_waiting_ = 0;
  bool interval_used_ = false;
};

}  // namespace tern::noc

// SPDX-License-Identifier: Apache-2.0
#include "systemc/noc/resource.h"

#include <algorithm>
#include <utility>

#include "sw/base/math.h"
#include "systemc/trace/sim_time.h"

namespace tern::noc {

Resource::Resource(std::string name, double gb_per_s, const qos::Settings& settings)
    : name_(std::move(name)),
      gb_per_s_(gb_per_s),
      shaper_cycle_fs_(std::max<std::uint64_t>(transfer_fs(kFlitBytes, gb_per_s), 1)) {
  for (unsigned n = 0; n < flits_fs_.size(); ++n) {
    flits_fs_[n] = std::max<std::uint64_t>(transfer_fs(n * kFlitBytes, gb_per_s), 1);
  }
  shaper_.reset(0);
  shaper_.configure(settings, 0);
}

void Resource::reset_statistics() {
  statistics_ = {};
  longest_queue_ = 0;
}

void Resource::trace_to(trace::Bus* bus) {
  bus_ = bus;
  if (bus_ != nullptr) track_ = bus_->add_track("noc", name_);
}

std::uint64_t Resource::occupancy_fs(std::uint32_t bytes) const {
  const std::uint32_t flits = ceil_div(bytes, kFlitBytes);
  return flits < flits_fs_.size() ? flits_fs_[flits] : transfer_fs(flits * kFlitBytes, gb_per_s_);
}

void Resource::enqueue(std::uint64_t now, Message& message) {
  const bool by_class = shaper_.settings().policy != qos::Policy::kRoundRobin;
  Queue& queue = queues_[by_class ? message.traffic_class : 0];
  message.queued_fs = now;
  message.next = nullptr;
  (queue.first == nullptr ? queue.first : queue.last->next) = &message;
  queue.last = &message;
  ++waiting_;
  // The one that is served at once has not waited.
  const unsigned waiting = waiting_ - (free_at_ <= now ? 1 : 0);
  longest_queue_ = std::max(longest_queue_, waiting);
  interval_waiting_ = std::max(interval_waiting_, waiting);
  interval_used_ = true;
}

Message& Resource::grant(std::uint64_t now) {
  unsigned mask = 0;
  for (unsigned c = 0; c < qos::kClasses; ++c) {
    if (queues_[c].first != nullptr) mask |= 1u << c;
  }
  const std::uint64_t cycle = now / shaper_cycle_fs_;
  const unsigned chosen = *shaper_.pick(cycle, mask);
  Queue& queue = queues_[chosen];
  Message& message = *queue.first;
  queue.first = message.next;
  --waiting_;
  shaper_.granted(cycle, chosen, message.bytes);

  const std::uint64_t busy = occupancy_fs(message.bytes);
  free_at_ = now + busy;
  ResourceStatistics& statistics = statistics_[message.traffic_class];
  ++statistics.messages;
  statistics.bytes += message.bytes;
  statistics.busy_fs += busy;
  statistics.waiting.add(now - message.queued_fs);
  interval_busy_fs_ += busy;
  interval_used_ = true;
  return message;
}

bool Resource::end_interval(std::uint64_t now, std::uint64_t interval_fs) {
  // What was granted at the end of the interval is busy in the next one as well.
  const std::uint64_t busy = std::min(interval_busy_fs_, interval_fs);
  const std::uint64_t begin = now - interval_fs;
  bus_->counter(track_, "busy", begin,
                static_cast<double>(busy) / static_cast<double>(interval_fs));
  bus_->counter(track_, "waiting", begin, interval_waiting_);
  const bool used = interval_used_;
  interval_busy_fs_ -= busy;
  interval_waiting_ = waiting_;
  interval_used_ = waiting_ != 0 || interval_busy_fs_ != 0;
  return used;
}

void Resource::archive_state(base::StateArchive& archive, std::uint64_t now) {
  shaper_.archive_state(archive, now / shaper_cycle_fs_);
  archive.number(free_at_, now);
  for (ResourceStatistics& statistics : statistics_) {
    archive.numbers(statistics.messages, statistics.bytes, statistics.busy_fs);
    statistics.waiting.archive_state(archive);
  }
  archive.numbers(longest_queue_, interval_busy_fs_, interval_waiting_, interval_used_);
}

}  // namespace tern::noc

// SPDX-License-Identifier: Apache-2.0
#include "systemc/noc/network.h"

#include <algorithm>
#include <utility>

namespace tern::noc {

unsigned Network::add_resource(std::string name, double gb_per_s, const qos::Settings& settings) {
  resources_.emplace_back(std::move(name), gb_per_s, settings);
  return resources() - 1;
}

void Network::send(Message& message, std::uint64_t now) {
  message.step = 0;
  message.tail_fs = now;
  const Path& path = *message.path;
  const std::uint64_t latency = path.count > 0 ? path.steps[0].latency_fs : path.last_latency_fs;
  events_.push({now + latency, message.order, &message});
}

bool Network::may_run_ahead(const Event& event) {
  if (event.message == nullptr) return event.order < kInterval;
  return event.message->ahead || event.message->step != event.message->path->count;
}

// An instant: first all arrivals, then the decisions about them. If an event ends the run in its
// middle, the next run continues there.
void Network::run(std::uint64_t now) {
  const std::uint64_t end = now + lookahead_;
  while (next() <= now || (next() < end && may_run_ahead(events_.front()))) {
    const Event event = events_.pop();
    handle(event);
    if (next() != event.time) decide(event.time);
  }
}

void Network::handle(const Event& event) {
  if (event.message != nullptr) {
    Message& message = *event.message;
    if (message.step == message.path->count) {
      receiver_.delivered(message, event.time);
    } else {
      const unsigned resource = message.path->steps[message.step].resource;
      resources_[resource].enqueue(event.time, message);
      mark(resource);
    }
    return;
  }
  const auto number = static_cast<unsigned>(event.order & UINT32_MAX);
  Resource& resource = resources_[number];
  if (event.order < kInterval) {
    resource.wake_pending = false;
    mark(number);
  } else if (resource.end_interval(event.time, trace::kLoadIntervalFs)) {
    events_.push({event.time + trace::kLoadIntervalFs, event.order, nullptr});
  } else {
    resource.interval_pending = false;
  }
}

void Network::mark(unsigned resource) {
  if (resources_[resource].dirty) return;
  resources_[resource].dirty = true;
  dirty_.push_back(resource);
}

void Network::decide(std::uint64_t now) {
  for (const unsigned number : dirty_) {
    Resource& resource = resources_[number];
    resource.dirty = false;
    if (resource.waiting() && resource.free_at_fs() <= now) serve(number, now);
    if (resource.waiting() && !resource.wake_pending) {
      resource.wake_pending = true;
      events_.push({resource.free_at_fs(), kWake | number, nullptr});
    }
    if (resource.traced() && !resource.interval_pending) {
      resource.interval_pending = true;
      events_.push({(now / trace::kLoadIntervalFs + 1) * trace::kLoadIntervalFs, kInterval | number,
                    nullptr});
    }
  }
  dirty_.clear();
}

// The head of the message continues at once, its end leaves when all bytes have passed; a slower
// resource before this one delays it.
void Network::serve(unsigned number, std::uint64_t now) {
  Message& message = resources_[number].grant(now);
  const Path& path = *message.path;
  message.tail_fs = std::max(message.tail_fs + path.steps[message.step].latency_fs,
                             resources_[number].free_at_fs());
  ++message.step;
  if (message.step < path.count) {
    events_.push({now + path.steps[message.step].latency_fs, message.order, &message});
  } else {
    events_.push({message.tail_fs + path.last_latency_fs, message.order, &message});
  }
}

}  // namespace tern::noc

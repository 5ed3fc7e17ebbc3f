// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tern::trace {

struct Activity;  // activity.h

using TrackId = std::uint32_t;

// Times are femtoseconds of simulated time.
struct Span {
  TrackId track = 0;
  std::string_view name;
  std::uint64_t begin_fs = 0, end_fs = 0;
  std::string_view args;               // JSON object text, or empty
  const Activity* activity = nullptr;  // null: nothing that counts
};

// Destination of events: a file, counters, a test.
class Sink {
 public:
  virtual ~Sink() = default;
  // process groups tracks ("chip0.core0"), thread names one ("tensor").
  virtual void track(TrackId id, const std::string& process, const std::string& thread) = 0;
  virtual void span(const Span& span) = 0;
  virtual void counter(TrackId track, std::string_view name, std::uint64_t time_fs,
                       double value) = 0;
  // What a part of the model is from now on: a register, a command on a bus. Many, so only those
  // sinks get them that ask.
  virtual bool wants_states() const { return false; }
  virtual void state(TrackId /*track*/, std::string_view /*name*/, std::uint64_t /*time_fs*/,
                     std::uint64_t /*value*/) {}
  virtual void state(TrackId /*track*/, std::string_view /*name*/, std::uint64_t /*time_fs*/,
                     std::string_view /*value*/) {}
};

// The event bus of a simulation. Without a sink it costs one branch: check enabled() before
// building names or arguments.
class Bus {
 public:
  bool enabled() const { return !sinks_.empty(); }
  // Some sink wants states: check before reporting one.
  bool shows_states() const { return !state_sinks_.empty(); }
  void add_sink(std::shared_ptr<Sink> sink);
  void remove_sink(const std::shared_ptr<Sink>& sink);
  void remove_sinks() {
    sinks_.clear();
    state_sinks_.clear();
  }
  TrackId add_track(const std::string& process, const std::string& thread);
  void span(const Span& span) {
    for (auto& sink : sinks_) sink->span(span);
  }
  void counter(TrackId track, std::string_view name, std::uint64_t time_fs, double value) {
    for (auto& sink : sinks_) sink->counter(track, name, time_fs, value);
  }
  // `value`: a number or a text.
  template <typename Value>
  void state(TrackId track, std::string_view name, std::uint64_t time_fs, const Value& value) {
    for (Sink* sink : state_sinks_) sink->state(track, name, time_fs, value);
  }

 private:
  struct Track {
    std::string process, thread;
  };
  std::vector<Track> tracks_;
  std::vector<std::shared_ptr<Sink>> sinks_;
  std::vector<Sink*> state_sinks_;  // those of sinks_ that want states
};

}  // namespace tern::trace

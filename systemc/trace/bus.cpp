// SPDX-License-Identifier: Apache-2.0
#include "systemc/trace/trace.h"

#include <algorithm>

namespace tern::trace {

void Bus::add_sink(std::shared_ptr<Sink> sink) {
  // A late sink still receives every track.
  for (TrackId id = 0; id < tracks_.size(); ++id) {
    sink->track(id, tracks_[id].process, tracks_[id].thread);
  }
  if (sink->wants_states()) state_sinks_.push_back(sink.get());
  sinks_.push_back(std::move(sink));
}

void Bus::remove_sink(const std::shared_ptr<Sink>& sink) {
  sinks_.erase(std::remove(sinks_.begin(), sinks_.end(), sink), sinks_.end());
  state_sinks_.erase(std::remove(state_sinks_.begin(), state_sinks_.end(), sink.get()),
                     state_sinks_.end());
}

TrackId Bus::add_track(const std::string& process, const std::string& thread) {
  const auto id = static_cast<TrackId>(tracks_.size());
  tracks_.push_back({process, thread});
  for (auto& sink : sinks_) sink->track(id, process, thread);
  return id;
}

}  // namespace tern::trace

// SPDX-License-Identifier: Apache-2.0
#include "systemc/trace/summary_sink.h"

#include <algorithm>

namespace tern::trace {

namespace {
constexpr std::size_t kRecent = 4096;  // older intervals can no longer be enclosed
}

void SummarySink::track(TrackId id, const std::string& process, const std::string& thread) {
  if (tracks_.size() <= id) {
    tracks_.resize(id + 1);
    recent_.resize(id + 1);
  }
  tracks_[id].process = process;
  tracks_[id].thread = thread;
}

void SummarySink::span(const Span& span) {
  Track& track = tracks_.at(span.track);
  track.first_fs = track.spans == 0 ? span.begin_fs : std::min(track.first_fs, span.begin_fs);
  track.last_fs = std::max(track.last_fs, span.end_fs);
  ++track.spans;
  auto name = track.names.find(span.name);
  if (name == track.names.end()) name = track.names.emplace(std::string(span.name), Name{}).first;
  ++name->second.count;
  name->second.total_fs += span.end_fs - span.begin_fs;

  auto& recent = recent_[span.track];
  Interval merged{span.begin_fs, span.end_fs};
  // Intervals after the new one stay; those that touch it are merged into it.
  auto end = recent.end();
  while (end != recent.begin() && std::prev(end)->begin > merged.end) --end;
  auto begin = end;
  while (begin != recent.begin() && std::prev(begin)->end >= merged.begin) {
    --begin;
    track.busy_fs -= begin->end - begin->begin;
    merged.begin = std::min(merged.begin, begin->begin);
    merged.end = std::max(merged.end, begin->end);
  }
  track.busy_fs += merged.end - merged.begin;
  recent.insert(recent.erase(begin, end), merged);
  if (recent.size() > kRecent) recent.pop_front();
}

void SummarySink::counter(TrackId track, std::string_view name, std::uint64_t, double value) {
  auto& counters = tracks_.at(track).counters;
  const auto found = counters.find(name);
  if (found == counters.end()) {
    counters.emplace(std::string(name), value);
  } else {
    found->second = value;
  }
}

const SummarySink::Track* SummarySink::find(const std::string& process,
                                            const std::string& thread) const {
  for (const auto& track : tracks_) {
    if (track.process == process && track.thread == thread) return &track;
  }
  return nullptr;
}

}  // namespace tern::trace

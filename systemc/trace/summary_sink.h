// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "systemc/trace/trace.h"

namespace tern::trace {

// Busy time and span counts per track, for the end-of-run table. Time covered by several spans
// (nested or overlapping) counts once.
class SummarySink : public Sink {
 public:
  struct Name {
    std::uint64_t count = 0, total_fs = 0;
  };
  struct Track {
    std::string process, thread;
    std::uint64_t spans = 0, busy_fs = 0;
    std::uint64_t first_fs = 0, last_fs = 0;
    std::map<std::string, Name, std::less<>> names;       // by span name
    std::map<std::string, double, std::less<>> counters;  // last values
  };

  void track(TrackId id, const std::string& process, const std::string& thread) override;
  void span(const Span& span) override;
  void counter(TrackId track, std::string_view name, std::uint64_t time_fs, double value) override;

  const std::vector<Track>& tracks() const { return tracks_; }
  const Track* find(const std::string& process, const std::string& thread) const;

 private:
  struct Interval {
    std::uint64_t begin, end;
  };
  std::vector<Track> tracks_;
  // The newest disjoint intervals of a track, in order: an enclosing span is reported after those
  // it encloses.
  std::vector<std::deque<Interval>> recent_;
};

}  // namespace tern::trace

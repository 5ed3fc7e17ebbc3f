// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sw/base/atomic_file.h"
#include "systemc/trace/lanes.h"
#include "systemc/trace/trace.h"

namespace tern::trace {

// Writes Chrome trace-event JSON, which https://ui.perfetto.dev and chrome://tracing open. Events
// stream into FILE.partial; close() completes the file and gives it its name, so FILE is always a
// whole trace. Perfetto counts whole nanoseconds and drops spans that partly overlap on a thread:
// times are rounded down, and a track whose spans overlap has several threads (lanes.h).
class PerfettoSink : public Sink {
 public:
  // Throws UserError when the file cannot be created. Without close() it leaves no file.
  explicit PerfettoSink(const std::string& path);
  ~PerfettoSink() override = default;
  PerfettoSink(const PerfettoSink&) = delete;
  PerfettoSink& operator=(const PerfettoSink&) = delete;

  void track(TrackId id, const std::string& process, const std::string& thread) override;
  void span(const Span& span) override;
  void counter(TrackId track, std::string_view name, std::uint64_t time_fs, double value) override;

  void close();  // throws RunError when the disk write fails
  std::uint64_t events() const { return events_; }

 private:
  struct Process {
    unsigned id = 0;
    std::string name;
    std::vector<TrackId> threads;  // not yet named in the file
    bool named = false;
  };
  struct Place {
    Process* process = nullptr;
    std::string name;
    Lanes lanes;
    unsigned named_lanes = 1;
  };
  // Names the tracks of a process at its first event: idle cores do not fill the viewer.
  Place& place_of(TrackId track);
  // The thread of a track's lane; names it when it is new.
  unsigned thread_of(TrackId track, Place& place, unsigned lane);
  void name_thread(TrackId track, const Place& place, unsigned lane);
  void append_name(const char* kind, unsigned process, unsigned thread, std::string_view name);
  void begin_event();
  void flush_if_full();
  void write_buffer();
  void append_string(std::string_view text);
  void append_time(std::uint64_t ns);

  base::AtomicFile file_;
  std::string buffer_;
  bool first_ = true, closed_ = false;
  std::uint64_t events_ = 0;
  std::map<std::string, Process> processes_;
  std::vector<Place> places_;  // by track
};

}  // namespace tern::trace

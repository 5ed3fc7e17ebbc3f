// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "systemc/trace/trace.h"

namespace tern::nki {

// Lines of the kernel in a trace: whatever runs on a queue of a core is shown a second time, in a
// process of its own, under the author's source line. Everything goes on to another sink.
class LineTrack : public trace::Sink {
 public:
  // Tracks of the process `kernel` are added to `bus`, which the sink then belongs to. core: the
  // process whose spans count.
  LineTrack(std::shared_ptr<trace::Sink> next, trace::Bus& bus, std::string core,
            const std::string& kernel);

  void track(trace::TrackId id, const std::string& process, const std::string& thread) override;
  void span(const trace::Span& span) override;
  void counter(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
               double value) override {
    next_->counter(track, name, time_fs, value);
  }

 private:
  const std::string& label(const std::string& source);

  std::shared_ptr<trace::Sink> next_;
  std::string core_;
  std::map<std::string, trace::TrackId> lines_;              // by queue
  std::map<trace::TrackId, trace::TrackId> line_of_;         // by the queue's track
  std::map<std::string, std::string> labels_;                // by place
  std::map<std::string, std::vector<std::string>> sources_;  // files by name
};

}  // namespace tern::nki

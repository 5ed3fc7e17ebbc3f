// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sw/nki/call/run_message.h"
#include "systemc/trace/trace.h"

namespace tern::nki {

// Every span of cores 0 and 1 in the trace, with the kernel's line.
class RunLog : public trace::Sink {
 public:
  void track(trace::TrackId id, const std::string& process, const std::string& thread) override;
  void span(const trace::Span& span) override;
  void counter(trace::TrackId, std::string_view, std::uint64_t, double) override {}

  // Those that lie between two times, counted from the first.
  std::vector<RunSpan> spans_from(std::uint64_t begin_fs, std::uint64_t end_fs) const;

 private:
  std::map<trace::TrackId, std::string> lanes_;
  std::vector<RunSpan> spans_;
};

}  // namespace tern::nki

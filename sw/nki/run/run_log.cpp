// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/run/run_log.h"

#include <algorithm>

#include "sw/nki/run/span_source.h"

namespace tern::nki {

namespace {

// The trace has the lines of core 0's program only.
constexpr const char* kOtherCore = " of core 1";

}  // namespace

void RunLog::track(trace::TrackId id, const std::string& process, const std::string& thread) {
  if (process == "core0") lanes_[id] = thread;
  if (process == "core1") lanes_[id] = thread + kOtherCore;
}

void RunLog::span(const trace::Span& span) {
  const auto lane = lanes_.find(span.track);
  if (lane == lanes_.end()) return;
  const bool first = lane->second.find(kOtherCore) == std::string::npos;
  spans_.push_back({lane->second, std::string(span.name), first ? span_source(span) : std::string(),
                    span.begin_fs, span.end_fs});
}

std::vector<RunSpan> RunLog::spans_from(std::uint64_t begin_fs, std::uint64_t end_fs) const {
  std::vector<RunSpan> result;
  for (RunSpan span : spans_) {
    if (span.begin_fs < begin_fs || span.begin_fs > end_fs) continue;
    span.begin_fs -= begin_fs;
    span.end_fs -= begin_fs;
    result.push_back(std::move(span));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const RunSpan& a, const RunSpan& b) { return a.begin_fs < b.begin_fs; });
  return result;
}

}  // namespace tern::nki

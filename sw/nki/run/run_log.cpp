// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/run/run_log.h"

#include <algorithm>

#include "sw/nki/run/span_source.h"

namespace tern::nki {

void RunLog::track(trace::TrackId id, const std::string& process, const std::string& thread) {
  if (process == "core0") lanes_[id] = thread;
  if (process == "core1") lanes_[id] = thread + " of core 1";
}

void RunLog::span(const trace::Span& span) {
  const auto lane = lanes_.find(span.track);
  if (lane == lanes_.end()) return;
  spans_.push_back(
      {lane->second, std::string(span.name), span_source(span), span.begin_fs, span.end_fs});
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

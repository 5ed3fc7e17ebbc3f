// SPDX-License-Identifier: Apache-2.0
#include "systemc/trace/span_log.h"

#include <algorithm>

namespace tern::trace {

void SpanLog::track(TrackId id, const std::string& process, const std::string& thread) {
  if (lane_of_.size() <= id) lane_of_.resize(id + 1, nullptr);
  if (process == process_) lane_of_[id] = &lanes_[thread];
}

void SpanLog::span(const Span& span) {
  Lane* lane = lane_of_.at(span.track);
  if (lane == nullptr || stopped_) return;
  auto name = index_.find(span.name);
  if (name == index_.end()) {
    name = index_.emplace(std::string(span.name), static_cast<std::uint32_t>(names_.size())).first;
    names_.emplace_back(span.name);
  }
  const std::uint64_t ps = (span.end_fs - span.begin_fs + 500) / 1000;
  lane->push_back({span.begin_fs,
                   static_cast<std::uint32_t>(std::min<std::uint64_t>(ps, UINT32_MAX)),
                   name->second});
}

}  // namespace tern::trace

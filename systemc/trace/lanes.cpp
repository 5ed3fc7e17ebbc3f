// SPDX-License-Identifier: Apache-2.0
#include "systemc/trace/lanes.h"

#include <algorithm>

namespace tern::trace {
namespace {

// One inside the other. With a common begin the viewer would depend on their order in the file.
bool inside(std::uint64_t begin, std::uint64_t end, std::uint64_t outer_begin,
            std::uint64_t outer_end) {
  return outer_begin < begin && end <= outer_end;
}

}  // namespace

bool Lanes::fits(const Lane& lane, const Span& span) {
  if (span.begin < lane.forgotten) return false;
  return std::all_of(lane.recent.begin(), lane.recent.end(), [&](const Span& other) {
    return other.end <= span.begin || span.end <= other.begin ||
           inside(span.begin, span.end, other.begin, other.end) ||
           inside(other.begin, other.end, span.begin, span.end);
  });
}

unsigned Lanes::place(std::uint64_t begin, std::uint64_t end) {
  const Span span{begin, end};
  auto lane = std::find_if(lanes_.begin(), lanes_.end(),
                           [&](const Lane& candidate) { return fits(candidate, span); });
  if (lane == lanes_.end()) lane = lanes_.insert(lanes_.end(), Lane());
  lane->recent.push_back(span);
  if (lane->recent.size() > kRecent) {
    lane->forgotten = std::max(lane->forgotten, lane->recent.front().end);
    lane->recent.pop_front();
  }
  return static_cast<unsigned>(lane - lanes_.begin());
}

}  // namespace tern::trace

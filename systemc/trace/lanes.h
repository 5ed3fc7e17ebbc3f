// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace tern::trace {

// Spreads the spans of one track over lanes, so that the spans of a lane nest or follow each other:
// Perfetto drops a span that partly overlaps another one of its thread. Spans may come in any
// order.
class Lanes {
 public:
  // The lane for [begin, end), in whole nanoseconds.
  unsigned place(std::uint64_t begin, std::uint64_t end);

 private:
  struct Span {
    std::uint64_t begin, end;
  };
  struct Lane {
    std::deque<Span> recent;      // what a new span is compared with
    std::uint64_t forgotten = 0;  // all others end by then
  };
  static constexpr std::size_t kRecent = 64;

  static bool fits(const Lane& lane, const Span& span);

  std::vector<Lane> lanes_;
};

}  // namespace tern::trace

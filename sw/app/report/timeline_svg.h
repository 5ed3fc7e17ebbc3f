// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systemc/trace/span_log.h"

namespace tern::app {

struct TimelinePicture {
  std::string title;
  std::uint64_t begin_fs = 0, end_fs = 0;  // of the program
};

// A run as an SVG. Per engine it shows the busy share and a strip of the whole program: the darker
// a column, the busier the engine. Below is a window from the middle, large enough to show single
// instructions. The 16 DMA engines share one lane.
std::string timeline_svg(const trace::SpanLog& log, const TimelinePicture& picture);

// The strips alone: of every engine its busy share, and the busy part of each of `columns`
// intervals of the program.
struct TimelineLane {
  std::string label;
  double busy = 0;
  std::vector<double> part;
};
// What its share is: "busy", of the DMA engines "in flight".
const char* lane_word(const std::string& label);
std::vector<TimelineLane> timeline_lanes(const trace::SpanLog& log, const TimelinePicture& picture,
                                         unsigned columns);

}  // namespace tern::app

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

// A run as an SVG: per engine its busy share, a strip of the whole program (how dark a column is
// tells how much of its time the engine worked), and below it a window from the middle, large
// enough to read single instructions. The 16 DMA engines are one lane.
std::string timeline_svg(const trace::SpanLog& log, const TimelinePicture& picture);

// The strips alone: of every engine its busy share, and the part of each of `columns` stretches of
// the program that it worked.
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

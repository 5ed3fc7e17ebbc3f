// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tern::app {

// Escape sequences of a terminal; nothing where a text goes elsewhere.
struct Style {
  explicit Style(bool colour);
  const char *good = "", *bad = "", *bold = "", *dim = "", *off = "";
};

// Standard output is a terminal, and NO_COLOR is not set.
bool coloured_output();

// "PASSED" or "FAILED", the last line of a run.
std::string verdict_line(bool passed, const Style& style);

// A line for each file that was written; an empty path was not.
std::string paths_text(const std::string& report, const std::string& trace,
                       const std::string& waveform);

}  // namespace tern::app

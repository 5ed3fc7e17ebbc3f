// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tern::app {

// Escape sequences of a terminal; empty if the output is not one.
struct Style {
  explicit Style(bool colour);
  const char *good = "", *bad = "", *bold = "", *dim = "", *off = "";
};

// Standard output is a terminal, and NO_COLOR is not set or empty (no-color.org).
bool coloured_output();

}  // namespace tern::app

// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/style.h"

#include <unistd.h>

#include <cstdlib>

namespace tern::app {

Style::Style(bool colour) {
  if (!colour) return;
  good = "\033[32m";
  bad = "\033[31m";
  bold = "\033[1m";
  dim = "\033[2m";
  off = "\033[0m";
}

bool coloured_output() {
  const char* no_colour = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0');
}

}  // namespace tern::app

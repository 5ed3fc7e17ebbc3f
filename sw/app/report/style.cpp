// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/style.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

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
  return isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
}

std::string verdict_line(bool passed, const Style& style) {
  return fmt::format("{}{}{}\n", passed ? style.good : style.bad, passed ? "PASSED" : "FAILED",
                     style.off);
}

std::string paths_text(const std::string& report, const std::string& trace,
                       const std::string& waveform) {
  std::string text;
  for (const auto& [label, path] :
       {std::pair("report", &report), {"trace", &trace}, {"waveform", &waveform}}) {
    if (!path->empty()) text += fmt::format("  {:<16} {}\n", label, *path);
  }
  return text;
}

}  // namespace tern::app

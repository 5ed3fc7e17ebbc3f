// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/trace/site.h"

#include <algorithm>
#include <fstream>

#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace {

// Empty if there is no such line: a kernel may come from a string.
std::string source_line(const std::string& file, int line) {
  std::ifstream in(file);
  std::string text;
  for (int i = 0; i < line; ++i) {
    if (!std::getline(in, text)) return {};
  }
  return text;
}

std::string place(const Site::Frame& frame) {
  return frame.file + ":" + std::to_string(frame.line) + ", in " + frame.function;
}

// A source line and the mark of the expression under it, both indented.
std::string excerpt(const Site::Frame& frame) {
  constexpr std::size_t kMostColumns = 200;
  std::string line = source_line(frame.file, frame.line);
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos || line.size() > kMostColumns) return {};
  const std::size_t end = line.find_last_not_of(" \t\r") + 1;
  std::string text = "\n    " + line.substr(begin, end - begin);
  const auto first = static_cast<std::size_t>(std::max(frame.column, 0));
  if (frame.column < 0 || first < begin || first >= end) return text;
  std::size_t last = end;
  if (frame.end_line == frame.line && frame.end_column > frame.column) {
    last = std::min(last, static_cast<std::size_t>(frame.end_column));
  }
  return text + "\n    " + std::string(first - begin, ' ') + std::string(last - first, '^');
}

}  // namespace

std::string Site::text() const {
  if (frames.empty()) return "kernel";
  return frames.front().file + ":" + std::to_string(frames.front().line);
}

std::string Site::describe() const {
  std::string text;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    text += i == 0 ? "" : "\n";
    text += (i == 0 ? "  at " : "  called from ") + place(frames[i]);
    if (i == 0) text += excerpt(frames[i]);
  }
  return text;
}

NkiError::NkiError(const std::string& message, const Site* site, Kind kind)
    : UserError(site == nullptr || site->frames.empty() ? message
                                                        : message + "\n" + site->describe()),
      kind_(kind),
      has_place_(site != nullptr) {}

}  // namespace tern::nki

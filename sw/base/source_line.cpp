// SPDX-License-Identifier: Apache-2.0
#include "sw/base/source_line.h"

#include <string_view>

namespace tern {

std::string SourceLine::text() const {
  std::string_view path = file;
  // A kernel in Python is read again by this name, wherever the reader runs.
  constexpr std::string_view kPython = ".py";
  if (path.size() > kPython.size() && path.substr(path.size() - kPython.size()) == kPython) {
    return std::string(path) + ":" + std::to_string(line);
  }
  constexpr std::string_view kRoot = TERN_SOURCE_ROOT "/";
  if (path.substr(0, kRoot.size()) == kRoot) path.remove_prefix(kRoot.size());
  // A compiler cache with a base directory makes paths relative to the build folder.
  while (path.substr(0, 3) == "../") path.remove_prefix(3);
  return std::string(path) + ":" + std::to_string(line);
}

}  // namespace tern

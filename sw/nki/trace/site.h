// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tern::nki {

// A place in a kernel: the expression that called a function of the interface, and the calls inside
// the kernel that led to it.
struct Site {
  struct Frame {
    std::string file, function;
    int line = 0, end_line = 0;        // of the expression, from 1
    int column = -1, end_column = -1;  // bytes from the start of their line; -1: unknown
  };
  std::vector<Frame> frames;  // the innermost first

  // The innermost line as C++ code names its own.
  std::string text() const;
  // Three lines of the innermost frame - place, source, caret - and one for each caller.
  std::string describe() const;
};

}  // namespace tern::nki

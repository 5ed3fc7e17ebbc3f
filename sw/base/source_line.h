// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tern {

// The line of a caller, taken by a default argument: `void f(SourceLine where =
// SourceLine::here())`.
struct SourceLine {
  const char* file = "";
  int line = 0;

  static constexpr SourceLine here(const char* file = __builtin_FILE(),
                                   int line = __builtin_LINE()) {
    return {file, line};
  }
  // "sw/kernels/matmul.cpp:42", relative to the repository if the file is in it.
  std::string text() const;
};

}  // namespace tern

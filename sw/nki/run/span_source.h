// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "systemc/trace/trace.h"

namespace tern::nki {

struct SourcePlace {
  std::string file;
  unsigned line = 0;  // from 1; 0: unknown
};

// "FILE:LINE: FUNCTION" in parts. The file's name may hold ": " itself.
SourcePlace place_of(const std::string& source);

// "FILE:LINE: FUNCTION" of an instruction's span; empty if it has none.
std::string span_source(const trace::Span& span);

}  // namespace tern::nki

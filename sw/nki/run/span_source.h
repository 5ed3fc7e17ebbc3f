// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "systemc/trace/trace.h"

namespace tern::nki {

// "FILE:LINE: FUNCTION" of an instruction's span; empty if it has none.
std::string span_source(const trace::Span& span);

}  // namespace tern::nki

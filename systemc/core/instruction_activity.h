// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/engines/ports/operation.h"
#include "systemc/trace/activity.h"

namespace tern {

// What an instruction that has been executed did: its operands' bytes, each counted once, and what
// its engine computed. Nothing for control, programs of GpSimd, and what DMA engines do for it.
trace::Activity instruction_activity(const Operation& operation);

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/system/ranks.h"

namespace tern::app {

// The processes that this one simulates together with; null: it is alone.
system::Ranks* process_ranks();
void set_process_ranks(system::Ranks* ranks);

}  // namespace tern::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace tern::app {

// From now on SIGINT and SIGTERM set a flag instead of killing the process, so that a run can stop
// in order and leave no half-written file. A second signal kills at once.
void catch_interrupts();

// The signal caught, 0 if none.
int interrupted();

}  // namespace tern::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/app/collectives/cc_command.h"

namespace tern::app {

// Refuses options of `tern cc` that do not go together, and files that it would overwrite. Throws
// UserError.
void check_options(const CcOptions& options);

}  // namespace tern::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "systemc/engines/ports/operation.h"

namespace tern {

// The set of tables that the Scalar engine needs for an instruction; none: it works with any. The
// engine holds one set. Assumption: functions share a set if they come from the same one.
std::optional<unsigned> activation_tables(const Operation& operation);

}  // namespace tern

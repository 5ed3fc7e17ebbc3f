// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tern::tb {

// Runs every instruction of every mode on the model and on the RTL of a configuration. Prints the
// cycles of both from push to status side by side and requires them to be equal.
void compare_cycles(const std::string& config);

}  // namespace tern::tb

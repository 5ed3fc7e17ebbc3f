// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tern::tb {

// Overwrites the operands of random commands of a configuration in the cycle that TensorReadTimes
// gives, and a cycle earlier: no bit of a result may change, and some must.
void compare_read_times(const std::string& config, unsigned rounds);

}  // namespace tern::tb

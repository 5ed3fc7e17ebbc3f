// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

namespace tern {

// Programs of hosts, each in a SystemC thread of its own. Called in one; returns when all have
// ended. Throws what the first one that fails has thrown; the others are left where they wait.
void run_hosts(const std::vector<std::function<void()>>& programs);

}  // namespace tern

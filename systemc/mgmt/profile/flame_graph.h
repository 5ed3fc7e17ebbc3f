// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "systemc/mgmt/profile/call_tree.h"

namespace tern::mgmt {

// A picture of the tree: a box per function as wide as its instructions, what it calls above it.
// An SVG file without scripts; the whole names and counts are titles, which browsers show under the
// pointer.
std::string flame_graph(const CallTree& tree, const std::string& title);

}  // namespace tern::mgmt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tb/testplan/registry.h"

namespace tern::testplan {

// docs/testplan.md: a table of the plans, then one of features for each.
std::string page(const Tree& tree);

}  // namespace tern::testplan

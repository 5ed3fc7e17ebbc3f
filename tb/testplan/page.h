// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tb/testplan/registry.h"

namespace tern::testplan {

// docs/testplan.md: a table of the plans, then one of features for each.
std::string page(const Tree& tree);

// The first line, from 1, in which a page differs from what it should be; 0 if it does not.
unsigned stale_line(const std::string& is, const std::string& should_be);

}  // namespace tern::testplan

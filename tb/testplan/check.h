// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tb/testplan/registry.h"

namespace tern::testplan {

// What is wrong with the plans, one line each with file and line:
//
// - a feature has no test, a name that fits no test, or only tests without RTL
// - two features of a plan have the same name
// - a test of RTL is in no feature: the cases of a bench belong into a plan of its folder, "rtl:
// ..."
//   and "BLOCK: ..." into any
// - a module of rtl/ is in no plan, or a plan names one that does not exist
// - a fault is not in scripts/faults, or is in a module that the plan does not name
// - a fault of scripts/faults breaks no feature
std::vector<std::string> check(const Tree& tree);

}  // namespace tern::testplan

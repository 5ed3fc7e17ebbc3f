// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/collectives/algorithms/algorithms.h"

namespace tern::collectives {

// How much of the data should begin along which axis, so that links of all axes are busy for as
// long: small whole numbers. `order`: the axes; data that begin with the i-th of them go on with
// those after it, around. A share may be 0.
std::vector<unsigned> shares_of_axes(const Axes& axes, const std::vector<unsigned>& order);

}  // namespace tern::collectives

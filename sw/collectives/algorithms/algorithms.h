// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/collectives/schedule.h"

namespace tern::collectives {

// How the ranks of a group are laid out: sizes of axes, the first one's neighbours are next to each
// other in number. A torus has its axes; racks of chips {chips of a rack, racks}; {ranks}: nothing
// is known.
using Axes = std::vector<unsigned>;

struct AlgorithmInfo {
  std::string name, title;
};
// Of all operations.
const std::vector<AlgorithmInfo>& algorithms();
// Those that can do it among these ranks, the simplest first.
std::vector<std::string> algorithms_for(const Problem& problem, const Axes& axes);

// Throws UserError if the algorithm does not do this operation, or not for a group of this size.
Schedule make_schedule(const std::string& algorithm, const Problem& problem, const Axes& axes);

}  // namespace tern::collectives

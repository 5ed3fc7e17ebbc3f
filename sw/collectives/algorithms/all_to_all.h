// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/collectives/algorithms/algorithms.h"

// AllToAll and permutations: algorithms.h says what each is.
namespace tern::collectives {

Schedule make_mesh_all_to_all(const std::string& name, const Problem& problem, const Axes& axes);
Schedule make_pairwise(const std::string& name, const Problem& problem, const Axes& axes);
Schedule make_hierarchical_all_to_all(const std::string& name, const Problem& problem,
                                      const Axes& axes);
Schedule make_mesh_permute(const std::string& name, const Problem& problem, const Axes& axes);

}  // namespace tern::collectives

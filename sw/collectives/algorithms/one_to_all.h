// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/collectives/algorithms/algorithms.h"

// Broadcasts: algorithms.h says what each is.
namespace tern::collectives {

Schedule make_ring_broadcast(const std::string& name, const Problem& problem, const Axes& axes);
Schedule make_mesh_broadcast(const std::string& name, const Problem& problem, const Axes& axes);
Schedule make_tree(const std::string& name, const Problem& problem, const Axes& axes);
Schedule make_scatter_gather(const std::string& name, const Problem& problem, const Axes& axes);

}  // namespace tern::collectives

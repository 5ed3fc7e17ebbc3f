// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/collectives/algorithms/algorithms.h"

// AllReduce, ReduceScatter and AllGather, and what they do with a barrier: algorithms.h says what
// each is.
namespace tern::collectives {

Schedule make_ring(const std::string& name, const Problem& problem, const Axes& axes);
Schedule make_two_rings(const std::string& name, const Problem& problem, const Axes& axes);
Schedule make_mesh(const std::string& name, const Problem& problem, const Axes& axes);
Schedule make_one_step(const std::string& name, const Problem& problem, const Axes& axes);
Schedule make_doubling(const std::string& name, const Problem& problem, const Axes& axes);
Schedule make_halving_doubling(const std::string& name, const Problem& problem, const Axes& axes);
Schedule make_hierarchical(const std::string& name, const Problem& problem, const Axes& axes);
Schedule make_hierarchical_mesh(const std::string& name, const Problem& problem, const Axes& axes);
Schedule make_pipelined_axes(const std::string& name, const Problem& problem, const Axes& axes);
Schedule make_across(const std::string& name, const Problem& problem, const Axes& axes);
Schedule make_mesh_across(const std::string& name, const Problem& problem, const Axes& axes);
Schedule make_mesh_axes(const std::string& name, const Problem& problem, const Axes& axes);
Schedule make_axes(const std::string& name, const Problem& problem, const Axes& axes);

}  // namespace tern::collectives

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "sw/collectives/algorithms/algorithms.h"
#include "sw/system/fabric.h"
#include "systemc/collectives/layout.h"
#include "systemc/collectives/schedule_run.h"
#include "systemc/fabric/levels/levels.h"
#include "systemc/fabric/packet/routes.h"

namespace tern::tb {

// All chips of a system, as ranks of a collective operation.
struct Group {
  explicit Group(const std::string& system) : fabric(system::load_system(system)) {
    chips.resize(fabric.chips());
    std::iota(chips.begin(), chips.end(), 0U);
    axes = collectives::axes_of(fabric, chips);
  }

  collectives::Problem problem(collectives::Operation operation) const {
    collectives::Problem problem;
    problem.operation = operation;
    problem.ranks = static_cast<unsigned>(chips.size());
    if (operation == collectives::Operation::kPermute)
      problem.to = collectives::next_of_each(problem.ranks);
    if (operation == collectives::Operation::kAllToAllV)
      problem.counts = collectives::routed_counts(problem.ranks, 4 * problem.ranks, 3, 0);
    return problem;
  }
  collectives::CoreTimes times() const {
    return collectives::core_times_of(fabric.config().collectives);
  }
  collectives::RunResult run(const std::string& algorithm, collectives::Operation operation,
                             std::uint64_t bytes, const std::string& level,
                             std::optional<unsigned> planes = {}) const {
    const auto transport = fabric::make_transport(level, fabric);
    return run_schedule(collectives::make_schedule(algorithm, problem(operation), axes),
                        {chips, bytes, planes.value_or(collectives::planes_of(fabric)),
                         collectives::ways_of(fabric, *routes)},
                        times(), *transport);
  }

  system::Fabric fabric;
  std::unique_ptr<fabric::packet::Routes> routes = fabric::packet::routes_of(fabric);
  std::vector<std::uint32_t> chips;
  collectives::Axes axes;
};

}  // namespace tern::tb

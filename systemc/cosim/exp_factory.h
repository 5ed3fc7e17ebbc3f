// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "systemc/core/core_options.h"

namespace tern {

class ExpRtl;

// What the Verilated exponential units built by one factory have done so far.
struct ExpStatistics {
  std::vector<const ExpRtl*> units;
  std::uint64_t results() const;
  std::uint64_t cycles() const, model_cycles() const;  // of their instructions
  double seconds() const;                              // of host time
};

// Exponential units for every back end: the fast model, the Verilated unit, or both in lockstep.
// `statistics` must not be read after the units are destroyed.
ExpFactory make_exp_factory(const std::shared_ptr<ExpStatistics>& statistics);

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "systemc/core/core_options.h"
#include "systemc/cosim/exp_rtl.h"

namespace tern {

using ExpStatistics = RtlUnits<ExpRtl>;

// Exponential units for every back end: the fast model, the Verilated unit, or both in lockstep.
// `statistics` must not be read after the units are destroyed.
ExpFactory make_exp_factory(const std::shared_ptr<ExpStatistics>& statistics);

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sw/config/wave_options.h"
#include "systemc/core/core_options.h"
#include "systemc/cosim/exp_rtl.h"

namespace tern {

using ExpStatistics = RtlUnits<ExpRtl>;

// Exponential units for every back end: the fast model, the Verilated unit, or both in lockstep.
// `statistics` must not be read after the units are destroyed. `wave`: of "core0.exp".
ExpFactory make_exp_factory(const std::shared_ptr<ExpStatistics>& statistics,
                            const WaveOfBlock& wave = nullptr);

}  // namespace tern

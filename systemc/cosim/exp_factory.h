// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sw/base/thread_team.h"
#include "sw/config/wave_options.h"
#include "systemc/core/core_options.h"
#include "systemc/cosim/exp_rtl.h"

namespace tern {

using ExpStatistics = RtlUnits<ExpRtl>;

// Exponential units for every back end: the fast model, the Verilated unit, or both in lockstep.
// `statistics` must not be read after the units are destroyed. Where there is RTL, an instruction
// is a task of `threads`; null, or with a waveform: of the thread that calls.
// `wave`: of "core0.exp".
ExpFactory make_exp_factory(const std::shared_ptr<ExpStatistics>& statistics,
                            std::shared_ptr<base::ThreadTeam> threads = nullptr,
                            const WaveOfBlock& wave = nullptr);

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sw/config/wave_options.h"
#include "systemc/core/core_options.h"
#include "systemc/cosim/mx_unit_rtl.h"

namespace tern {

using MxStatistics = RtlUnits<MxUnitRtl>;

// MX converters for every back end: the fast model, the Verilated pipelines, or both in lockstep.
// `statistics` must not be read after the units are destroyed. `wave`: of "core0.mx_quantize0" and
// so on.
MxFactory make_mx_factory(const std::shared_ptr<MxStatistics>& statistics,
                          const WaveOfBlock& wave = nullptr);

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sw/config/chip_config.h"
#include "sw/config/wave_options.h"
#include "systemc/trace/trace.h"
#include "systemc/wave/chip_wave.h"

namespace tern::app {

// The waveform of a run, in the time of its simulation; null if none is asked for. It outlives the
// chip, which is built with it: rtl_chip_options().
std::unique_ptr<wave::ChipWave> chip_wave(const ChipWaveOptions& options, const ChipConfig& chip);
// Once the chip is built: the waveform, unless null, shows what the chip reports. UserError if its
// scope holds nothing.
void listen(wave::ChipWave* wave, trace::Bus& trace);
// After both are gone: a RunError if the waveform that was asked for could not be completed.
void check_wave(const ChipWaveOptions& options);

}  // namespace tern::app

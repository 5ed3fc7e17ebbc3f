// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/config/wave_options.h"

namespace tern::tb {

// The waveform that the environment requests of an RTL bench: TERN_WAVE=FILE (scripts/wave). Of
// blocks that exist at the same time the first writes FILE, the others FILE with -2, -3, ... before
// its suffix. Without a waveform, too, the block keeps bench_cycle().
WaveOptions bench_wave();

// Whether this process has a block that records.
bool bench_records();

}  // namespace tern::tb

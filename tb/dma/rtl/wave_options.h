// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

#include "systemc/cosim/tensor_rtl.h"

namespace tern::tb {

// TERN_WAVE=FILE in the environment requests a waveform (scripts/wave).
inline WaveOptions wave_options() {
  WaveOptions wave;
  if (const char* file = std::getenv("TERN_WAVE")) wave.file = file;
  return wave;
}

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/chip/chip.h"

namespace tern {

// Options of one chip whose configuration may request Verilated RTL (`tensor: rtl`, `exp: both`,
// ...). `threads` of the host evaluate the blocks of all cores; 0: one for each processor.
// Recorded, and with what the blocks did: rtl_statistics.h.
ChipOptions rtl_chip_options(unsigned threads = 0);

}  // namespace tern

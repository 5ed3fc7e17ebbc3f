// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/chip/chip.h"

namespace tern {

// Options of a chip whose configuration may request Verilated RTL (`tensor: rtl`, `exp: both`,
// ...).
ChipOptions rtl_chip_options();

}  // namespace tern

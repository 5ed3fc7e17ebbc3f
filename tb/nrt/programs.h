// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/config/chip_config.h"

// Program files for tests of the C runtime.
namespace tern::tb {

const ChipConfig& trn3();

// c = a^T b, as kernels::build_matmul: a [k, m], b [k, n] BF16, c [m, n] FP32.
std::string product_file(unsigned m, unsigned k, unsigned n);
// y = 2 x, FP32 [128 * parts, free], a part for each core of a logical core: each has its own rows,
// and all begin together.
std::string twice_file(unsigned parts, unsigned free = 64);
// Of a kernel that several ranks run.
std::string ranks_file();
// A queue that waits for a semaphore nobody raises.
std::string stuck_file();
// An instruction that does not exist.
std::string bad_file();
// A load from an address outside every unit.
std::string stray_file();

}  // namespace tern::tb

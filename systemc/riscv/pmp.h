// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "systemc/riscv/csr_file.h"
#include "systemc/riscv/hart_config.h"

namespace tern::riscv {

// Physical memory protection: whether an access of `bytes` at `address` is allowed.
// `whole_page`: set if the answer holds for the whole page of 4 KiB.
bool pmp_allows(const CsrState& state, unsigned entries, std::uint64_t address, unsigned bytes,
                Access access, Privilege mode, bool& whole_page);

}  // namespace tern::riscv

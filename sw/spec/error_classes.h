// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iterator>

#include "sw/spec/generated/mgmt.h"

namespace tern {

// Names of the error classes, in the order of TERN_ERROR_CLASS_...
constexpr const char* kErrorClassNames[] = {
    "ecc_corrected", "ecc_uncorrectable",  "ecc_repairable",
    "dma_abort",     "semaphore_overflow", "sequencer_fatal",
    "hang"};
static_assert(std::size(kErrorClassNames) == TERN_ERROR_CLASS_COUNT);

}  // namespace tern

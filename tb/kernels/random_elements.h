// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/runtime/executable.h"

namespace tern::tb {

// A program of `count` random element-wise instructions on Vector, Scalar and GpSimd, over views of
// a few small tiles that overlap all the time. The views are patterns of up to four dimensions,
// columns, reduce columns, predicates, accumulators. Every tile is loaded first and stored at the
// end.
Executable random_element_program(std::uint64_t seed, unsigned count);

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tb/tensor/mx/mx_operands.h"

namespace tern::tb {

// docs/numerics.md, section 2, "MX", "Quad mode" and "FP8 without scales", in integers and MPFR.

// round(sum * 2^(-32 + exponent)) to FP32 bits.
std::uint32_t mx_round(__int128 sum, int exponent);

// FP32 bits of port `port` (quad mode: slot; otherwise 0) for one moving and one stationary column.
std::uint32_t mx_expected(const MxOperand& stationary, unsigned column, const MxOperand& moving,
                          unsigned moving_column, unsigned port);

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/numerics/dtype.h"

namespace tern {

// Elements in device memory, row major.
using Bytes = std::vector<std::uint8_t>;

// Rounded once to the format, and back without loss. Formats of whole bytes that the engines
// compute with (kComputeDTypes); UserError on others.
Bytes to_bytes(const std::vector<float>& values, numerics::DType dtype);
std::vector<float> to_floats(const Bytes& bytes, numerics::DType dtype);

}  // namespace tern

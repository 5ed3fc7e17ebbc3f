// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/numerics/dtype.h"
#include "sw/numerics/fp8.h"

namespace tern::kernels {

// The values one by one, dtype e4m3, e4m3fn or e5m2: the plain matrix, for programs that load the
// two planes from it directly. There are no scales: values that are too large saturate, or become
// infinity or NaN.
std::vector<std::uint8_t> encode_fp8(const std::vector<float>& values, numerics::DType dtype,
                                     numerics::Overflow overflow = numerics::Overflow::kSaturate);

struct DoubleRowPacked {
  std::size_t rows = 0;            // partitions of all tiles, one below the other
  std::size_t pitch = 0;           // bytes of a plane: the columns, padded to a multiple of four
  std::vector<std::uint8_t> data;  // [rows, 2, pitch]
};

// values: [k, columns], row major. Each partition finds its two planes side by side.
DoubleRowPacked pack_double_row(const std::vector<float>& values, std::size_t k,
                                std::size_t columns, numerics::DType dtype,
                                numerics::Overflow overflow = numerics::Overflow::kSaturate);

}  // namespace tern::kernels

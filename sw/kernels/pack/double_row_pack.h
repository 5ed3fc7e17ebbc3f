// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "systemc/numerics/dtype.h"
#include "systemc/numerics/fp8.h"

namespace tern::kernels {

struct DoubleRowPacked {
  std::size_t rows = 0;            // partitions of all tiles, one below the other
  std::size_t pitch = 0;           // bytes of a plane: the columns, filled up to a multiple of four
  std::vector<std::uint8_t> data;  // [rows, 2, pitch]
};

// values: [k, columns], row major. dtype: e4m3, e4m3fn or e5m2. There are no scales: what is too
// large saturates, or becomes infinity or NaN.
DoubleRowPacked pack_double_row(const std::vector<float>& values, std::size_t k,
                                std::size_t columns, numerics::DType dtype,
                                numerics::Overflow overflow = numerics::Overflow::kSaturate);

}  // namespace tern::kernels

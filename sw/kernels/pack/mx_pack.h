// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/numerics/dtype.h"
#include "sw/numerics/mx.h"

namespace tern::kernels {

struct MxPacked {
  numerics::DType dtype = numerics::DType::kE4m3FnX4;
  std::size_t rows = 0, columns = 0;  // partitions of all tiles, one below the other; x4 elements
  std::vector<std::uint8_t> data;     // [rows, columns], 4 or 2 bytes each
  std::vector<std::uint8_t> scales;   // [rows / 8, columns]: block i of quadrant g in row 4g + i
};

// values: [k, columns], row major. dtype: e4m3fn_x4, e5m2_x4 or e2m1_x4. Eight rows of all four
// slots share a scale.
MxPacked pack_mx(const std::vector<float>& values, std::size_t k, std::size_t columns,
                 numerics::DType dtype, numerics::MxRule rule);

// For quad mode: four matrices of that shape, product q in slot q. 32 rows of one slot share a
// scale: block i of a quadrant is slot i.
MxPacked pack_quad(const std::array<std::vector<float>, 4>& products, std::size_t k,
                   std::size_t columns, numerics::DType dtype, numerics::MxRule rule);

// Writes the scales into an image of [rows, columns] bytes, at 0, 4, 8 or 12 partitions from the
// start of each quadrant. The rest of it, the scales of other tensors, is unchanged.
void place_scales(const MxPacked& packed, unsigned offset, std::vector<std::uint8_t>* image);

}  // namespace tern::kernels

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tern::kernels {

// A tensor as NVFP4 checkpoints store it: [rows, k], k contiguous.
struct Nvfp4Tensor {
  std::size_t rows = 0, k = 0;         // `k` a multiple of 16
  std::vector<std::uint8_t> elements;  // [rows, k / 2]: E2M1, the even k in the lower four bits
  std::vector<std::uint8_t> scales;    // [rows, k / 16]: E4M3FN
  float factor = 1;                    // of the whole tensor
};

// BF16 values [k, rows], transposed: the layout of the tensor engine's operands.
std::vector<std::uint16_t> dequantize_nvfp4(const Nvfp4Tensor& tensor);

}  // namespace tern::kernels

// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/pack/nvfp4.h"

#include <string>

#include "sw/base/user_error.h"
#include "sw/numerics/mx.h"

namespace tern::kernels {

namespace {

constexpr std::size_t kBlock = 16;

void check(const char* what, std::size_t bytes, std::size_t rows, std::size_t pitch) {
  if (bytes == rows * pitch) return;
  throw UserError("dequantize_nvfp4: " + std::to_string(bytes) + " bytes of " + what +
                  ": expected " + std::to_string(rows) + " x " + std::to_string(pitch));
}

}  // namespace

std::vector<std::uint16_t> dequantize_nvfp4(const Nvfp4Tensor& tensor) {
  if (tensor.k % kBlock != 0) {
    throw UserError("dequantize_nvfp4: k = " + std::to_string(tensor.k) +
                    ": expected a multiple of 16");
  }
  check("elements", tensor.elements.size(), tensor.rows, tensor.k / 2);
  check("scales", tensor.scales.size(), tensor.rows, tensor.k / kBlock);
  std::vector<std::uint16_t> values(tensor.rows * tensor.k);
  for (std::size_t row = 0; row < tensor.rows; ++row) {
    for (std::size_t k = 0; k < tensor.k; ++k) {
      const std::uint8_t pair = tensor.elements[(row * tensor.k + k) / 2];
      const auto element = static_cast<std::uint8_t>(pair >> (4 * (k % 2)) & 15);
      const std::uint8_t scale = tensor.scales[row * (tensor.k / kBlock) + k / kBlock];
      values[k * tensor.rows + row] = numerics::nvfp4_dequantize(element, scale, tensor.factor);
    }
  }
  return values;
}

}  // namespace tern::kernels

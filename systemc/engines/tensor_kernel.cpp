// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor_kernel.h"

#include <cmath>

#include "systemc/numerics/float_bits.h"

namespace tern {

void tensor_kernel_portable(const TensorTile& tile) {
  float acc[TensorTile::kLanes][TensorTile::kColumns] = {};
  for (std::size_t row = 0; row < tile.rows; ++row) {
    const float* w = tile.stationary + row * TensorTile::kLanes;
    const float* x = tile.moving + row * TensorTile::kColumns;
    for (std::size_t lane = 0; lane < TensorTile::kLanes; ++lane) {
      for (std::size_t column = 0; column < TensorTile::kColumns; ++column) {
        acc[lane][column] = std::fma(x[column], w[lane], acc[lane][column]);
      }
    }
  }
  for (std::size_t lane = 0; lane < TensorTile::kLanes; ++lane) {
    float* psum = tile.psum + lane * tile.psum_pitch;
    for (std::size_t column = 0; column < TensorTile::kColumns; ++column) {
      const float y = tile.accumulate ? psum[column] + acc[lane][column] : acc[lane][column];
      psum[column] = numerics::canonical(y);
    }
  }
}

std::vector<NamedTensorKernel> tensor_kernels() {
  std::vector<NamedTensorKernel> kernels;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) kernels.push_back({"avx512", tensor_kernel_avx512});
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    kernels.push_back({"avx2", tensor_kernel_avx2});
  }
#endif
  kernels.push_back({"portable", tensor_kernel_portable});
  return kernels;
}

}  // namespace tern

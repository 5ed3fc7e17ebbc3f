// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/tensor_kernel.h"

#include <cmath>

#include "sw/numerics/float_bits.h"

namespace tern {

namespace {

template <bool kSparse>
void chain(const TensorTile& tile) {
  float acc[TensorTile::kLanes][TensorTile::kColumns] = {};
  for (std::size_t row = 0; row < tile.rows; ++row) {
    const std::size_t first = row * TensorTile::kLanes;
    for (std::size_t lane = 0; lane < TensorTile::kLanes; ++lane) {
      const std::size_t k = kSparse ? tile.partners[first + lane] : row;
      const float* x = tile.moving + k * TensorTile::kColumns;
      const float w = tile.stationary[first + lane];
      for (std::size_t column = 0; column < TensorTile::kColumns; ++column) {
        acc[lane][column] = std::fma(x[column], w, acc[lane][column]);
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

}  // namespace

void dense_kernel_portable(const TensorTile& tile) {
  chain<false>(tile);
}
void sparse_kernel_portable(const TensorTile& tile) {
  chain<true>(tile);
}

const std::vector<TensorKernels>& tensor_kernels() {
  static const std::vector<TensorKernels> kernels = [] {
    std::vector<TensorKernels> list;
#if defined(__x86_64__)
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (__builtin_cpu_supports("avx512f")) {
      list.push_back({"avx512", dense_kernel_avx512, sparse_kernel_avx512, block_kernel_avx512,
                      block_sum_kernel_avx512});
    }
    if (avx2) {
      list.push_back({"avx2", dense_kernel_avx2, sparse_kernel_avx2, block_kernel_avx2,
                      block_sum_kernel_avx2});
    }
#endif
    list.push_back({"portable", dense_kernel_portable, sparse_kernel_portable,
                    block_kernel_portable, block_sum_kernel_portable});
    return list;
  }();
  return kernels;
}

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "systemc/engines/tensor/block_kernel.h"

namespace tern {

// The arithmetic of array A on one register tile: kLanes stationary columns by kColumns moving
// columns. Every element is a chain acc = fma(x, w, acc) over the rows, from +0; then psum = acc,
// or psum = round(psum + acc); NaN becomes canonical.
struct TensorTile {
  static constexpr std::size_t kLanes = 8;
  static constexpr std::size_t kColumns = 32;

  const float* stationary = nullptr;  // [row][kLanes]
  const float* moving = nullptr;      // [k][kColumns]
  std::size_t rows = 0;
  float* psum = nullptr;  // [lane * psum_pitch + column]
  std::size_t psum_pitch = 0;
  bool accumulate = false;
  // Sparse: the k that each weight meets, [row][kLanes]. Dense: row r meets k = r.
  const std::uint32_t* partners = nullptr;
};

using TensorKernel = void (*)(const TensorTile& tile);

// The kernels of one instruction set.
struct TensorKernels {
  std::string_view name;
  TensorKernel dense, sparse;
  BlockKernel block;         // of array X
  BlockSumKernel block_sum;  //
};

// Those that this host can run, fastest first; all give the same bits.
const std::vector<TensorKernels>& tensor_kernels();

void dense_kernel_portable(const TensorTile& tile);
void sparse_kernel_portable(const TensorTile& tile);
#if defined(__x86_64__)
// Need AVX2 and FMA.
void dense_kernel_avx2(const TensorTile& tile);
void sparse_kernel_avx2(const TensorTile& tile);
// Need AVX-512F.
void dense_kernel_avx512(const TensorTile& tile);
void sparse_kernel_avx512(const TensorTile& tile);
#endif

}  // namespace tern

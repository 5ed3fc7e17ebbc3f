// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tern {

// The arithmetic of the tensor model on one register tile: kTileLanes stationary columns by
// kTileColumns moving columns. Every element is a chain acc = fma(x, w, acc) over the rows, from
// +0; then psum = acc, or psum = round(psum + acc); NaN becomes canonical.
struct TensorTile {
  static constexpr std::size_t kLanes = 8;
  static constexpr std::size_t kColumns = 32;

  const float* stationary = nullptr;  // [row][kLanes]
  const float* moving = nullptr;      // [row][kColumns]
  std::size_t rows = 0;
  float* psum = nullptr;  // [lane * psum_pitch + column]
  std::size_t psum_pitch = 0;
  bool accumulate = false;
};

using TensorKernel = void (*)(const TensorTile& tile);

void tensor_kernel_portable(const TensorTile& tile);
#if defined(__x86_64__)
void tensor_kernel_avx2(const TensorTile& tile);    // needs AVX2 and FMA
void tensor_kernel_avx512(const TensorTile& tile);  // needs AVX-512F
#endif

struct NamedTensorKernel {
  std::string_view name;
  TensorKernel kernel;
};

// The kernels this host can run, fastest first; all give the same bits.
std::vector<NamedTensorKernel> tensor_kernels();

}  // namespace tern

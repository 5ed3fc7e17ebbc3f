// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tern {

// The arithmetic of array X on one block and a register tile of kLanes stationary columns by
// `columns` moving columns: B = the sum of the block's products, exact in double wherever these
// kernels are used.
struct BlockTile {
  static constexpr std::size_t kLanes = 8;
  static constexpr std::size_t kColumns = 24;

  const double* stationary = nullptr;  // [item][kLanes]
  const double* moving = nullptr;      // [item][kColumns]
  std::size_t items = 0;
  std::size_t columns = 0;  // that count: 8, 16 or 24
};

// The scales of the block, powers of two or NaN, and the accumulators.
struct BlockResult {
  const double* lane_scale = nullptr;    // [kLanes]
  const double* column_scale = nullptr;  // [kColumns]
  float* acc = nullptr;                  // [kLanes][kColumns]
};

// acc = round(acc + round(B * lane_scale * column_scale)).
using BlockKernel = void (*)(const BlockTile& tile, const BlockResult& result);
// sums[kLanes][kColumns] = B.
using BlockSumKernel = void (*)(const BlockTile& tile, double* sums);

void block_kernel_portable(const BlockTile& tile, const BlockResult& result);
void block_sum_kernel_portable(const BlockTile& tile, double* sums);
#if defined(__x86_64__)
// Need AVX2 and FMA.
void block_kernel_avx2(const BlockTile& tile, const BlockResult& result);
void block_sum_kernel_avx2(const BlockTile& tile, double* sums);
// Need AVX-512F.
void block_kernel_avx512(const BlockTile& tile, const BlockResult& result);
void block_sum_kernel_avx512(const BlockTile& tile, double* sums);
#endif

// Three sums whose total is the block's, each exact in double: their total times the scales,
// rounded once, added. Not finite in `special`: that is the block's sum instead.
void add_wide_sums(const double* const sums[3], const double* special, const BlockResult& result,
                   std::size_t columns);

}  // namespace tern

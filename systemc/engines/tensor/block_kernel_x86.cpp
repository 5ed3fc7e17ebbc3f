// SPDX-License-Identifier: Apache-2.0
// The block sums of array X in AVX-512 and in AVX2. Each function names its own instruction set, so
// a portable build holds both and the host decides at run time.
#if defined(__x86_64__)

#include <immintrin.h>

#include "systemc/engines/tensor/block_kernel.h"

namespace tern {

namespace {

constexpr std::size_t kLanes = BlockTile::kLanes;
constexpr std::size_t kColumns = BlockTile::kColumns;

// The use of a lane's vectors of block sums: `finish(lane, vector, B)`.
template <std::size_t kVectors, typename Finish>
__attribute__((target("avx512f"), always_inline)) inline void sums_avx512(const BlockTile& tile,
                                                                          Finish finish) {
  __m512d acc[kLanes][kVectors];
#pragma GCC unroll 8
  for (auto& lane : acc) {
#pragma GCC unroll 3
    for (__m512d& vector : lane) vector = _mm512_setzero_pd();
  }
  const double* w = tile.stationary;
  const double* x = tile.moving;
  for (std::size_t item = 0; item < tile.items; ++item) {
    __m512d row[kVectors];
#pragma GCC unroll 3
    for (std::size_t v = 0; v < kVectors; ++v) row[v] = _mm512_load_pd(x + 8 * v);
#pragma GCC unroll 8
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const __m512d weight = _mm512_set1_pd(w[lane]);
#pragma GCC unroll 3
      for (std::size_t v = 0; v < kVectors; ++v) {
        acc[lane][v] = _mm512_fmadd_pd(row[v], weight, acc[lane][v]);
      }
    }
    w += kLanes;
    x += kColumns;
  }
#pragma GCC unroll 8
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
#pragma GCC unroll 3
    for (std::size_t v = 0; v < kVectors; ++v) finish(lane, v, acc[lane][v]);
  }
}

struct StoreAvx512 {
  double* sums;
  __attribute__((target("avx512f"), always_inline)) void operator()(std::size_t lane, std::size_t v,
                                                                    __m512d block) const {
    _mm512_storeu_pd(sums + lane * kColumns + 8 * v, block);
  }
};

struct AddAvx512 {
  const BlockResult& result;
  __attribute__((target("avx512f"), always_inline)) void operator()(std::size_t lane, std::size_t v,
                                                                    __m512d block) const {
    const __m512d scaled =
        _mm512_mul_pd(_mm512_mul_pd(block, _mm512_set1_pd(result.lane_scale[lane])),
                      _mm512_load_pd(result.column_scale + 8 * v));
    float* acc = result.acc + lane * kColumns + 8 * v;
    _mm256_store_ps(acc, _mm256_add_ps(_mm256_load_ps(acc), _mm512_cvtpd_ps(scaled)));
  }
};

template <typename Finish>
__attribute__((target("avx512f"))) void run_avx512(const BlockTile& tile, Finish finish) {
  switch (tile.columns) {
    case 8:
      return sums_avx512<1>(tile, finish);
    case 16:
      return sums_avx512<2>(tile, finish);
    default:
      return sums_avx512<3>(tile, finish);
  }
}

// 16 registers only: two vectors of columns at a time, four lanes.
template <typename Finish>
__attribute__((target("avx2,fma"))) void run_avx2(const BlockTile& tile, Finish finish) {
  for (std::size_t column = 0; column < tile.columns; column += 8) {
    for (std::size_t first = 0; first < kLanes; first += 4) {
      __m256d acc[4][2];
#pragma GCC unroll 4
      for (auto& lane : acc) lane[0] = lane[1] = _mm256_setzero_pd();
      const double* w = tile.stationary + first;
      const double* x = tile.moving + column;
      for (std::size_t item = 0; item < tile.items; ++item) {
        const __m256d x0 = _mm256_loadu_pd(x), x1 = _mm256_loadu_pd(x + 4);
#pragma GCC unroll 4
        for (std::size_t lane = 0; lane < 4; ++lane) {
          const __m256d weight = _mm256_set1_pd(w[lane]);
          acc[lane][0] = _mm256_fmadd_pd(x0, weight, acc[lane][0]);
          acc[lane][1] = _mm256_fmadd_pd(x1, weight, acc[lane][1]);
        }
        w += kLanes;
        x += kColumns;
      }
#pragma GCC unroll 4
      for (std::size_t lane = 0; lane < 4; ++lane) {
        finish(first + lane, column, acc[lane][0]);
        finish(first + lane, column + 4, acc[lane][1]);
      }
    }
  }
}

struct StoreAvx2 {
  double* sums;
  __attribute__((target("avx2,fma"), always_inline)) void operator()(std::size_t lane,
                                                                     std::size_t column,
                                                                     __m256d block) const {
    _mm256_storeu_pd(sums + lane * kColumns + column, block);
  }
};

struct AddAvx2 {
  const BlockResult& result;
  __attribute__((target("avx2,fma"), always_inline)) void operator()(std::size_t lane,
                                                                     std::size_t column,
                                                                     __m256d block) const {
    const __m256d scaled =
        _mm256_mul_pd(_mm256_mul_pd(block, _mm256_set1_pd(result.lane_scale[lane])),
                      _mm256_loadu_pd(result.column_scale + column));
    float* acc = result.acc + lane * kColumns + column;
    _mm_storeu_ps(acc, _mm_add_ps(_mm_loadu_ps(acc), _mm256_cvtpd_ps(scaled)));
  }
};

}  // namespace

void block_kernel_avx512(const BlockTile& tile, const BlockResult& result) {
  run_avx512(tile, AddAvx512{result});
}
void block_sum_kernel_avx512(const BlockTile& tile, double* sums) {
  run_avx512(tile, StoreAvx512{sums});
}
void block_kernel_avx2(const BlockTile& tile, const BlockResult& result) {
  run_avx2(tile, AddAvx2{result});
}
void block_sum_kernel_avx2(const BlockTile& tile, double* sums) {
  run_avx2(tile, StoreAvx2{sums});
}

}  // namespace tern

#endif

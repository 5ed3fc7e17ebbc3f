// SPDX-License-Identifier: Apache-2.0
// The register tiles of array A in AVX-512 and in AVX2. Each function names its own instruction
// set, so a portable build holds both and the host decides at run time.
#if defined(__x86_64__)

#include <immintrin.h>

#include "sw/numerics/float_bits.h"
#include "systemc/engines/tensor/tensor_kernel.h"

namespace tern {

namespace {

// PSUM's rows are pages apart.
void prefetch_psum(const TensorTile& tile) {
#pragma GCC unroll 8
  for (std::size_t lane = 0; lane < TensorTile::kLanes; ++lane) {
    __builtin_prefetch(tile.psum + lane * tile.psum_pitch, 1, 3);
    __builtin_prefetch(tile.psum + lane * tile.psum_pitch + 16, 1, 3);
  }
}

// 8 lanes x 2 vectors: 16 independent accumulator chains hide the latency of two FMA pipes.
template <bool kSparse>
__attribute__((target("avx512f"))) void chain_avx512(const TensorTile& tile) {
  constexpr std::size_t kVectors = TensorTile::kColumns / 16;
  __m512 acc[TensorTile::kLanes][kVectors];
#pragma GCC unroll 8
  for (auto& lane : acc) {
#pragma GCC unroll 2
    for (__m512& vector : lane) vector = _mm512_setzero_ps();
  }
  const float* w = tile.stationary;
  const float* x = tile.moving;
  const std::uint32_t* partners = tile.partners;
  prefetch_psum(tile);
  for (std::size_t row = 0; row < tile.rows; ++row) {
    __m512 x0 = _mm512_loadu_ps(x);
    __m512 x1 = _mm512_loadu_ps(x + 16);
#pragma GCC unroll 8
    for (std::size_t lane = 0; lane < TensorTile::kLanes; ++lane) {
      if (kSparse) {
        const float* chosen = tile.moving + std::size_t{partners[lane]} * TensorTile::kColumns;
        x0 = _mm512_loadu_ps(chosen);
        x1 = _mm512_loadu_ps(chosen + 16);
      }
      const __m512 weight = _mm512_set1_ps(w[lane]);
      acc[lane][0] = _mm512_fmadd_ps(x0, weight, acc[lane][0]);
      acc[lane][1] = _mm512_fmadd_ps(x1, weight, acc[lane][1]);
    }
    w += TensorTile::kLanes;
    if (kSparse) {
      partners += TensorTile::kLanes;
    } else {
      x += TensorTile::kColumns;
    }
  }
  const __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32(numerics::kCanonicalNan));
#pragma GCC unroll 8
  for (std::size_t lane = 0; lane < TensorTile::kLanes; ++lane) {
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) {
      float* psum = tile.psum + lane * tile.psum_pitch + 16 * v;
      __m512 y = acc[lane][v];
      if (tile.accumulate) y = _mm512_add_ps(_mm512_loadu_ps(psum), y);
      _mm512_storeu_ps(psum, _mm512_mask_mov_ps(y, _mm512_cmp_ps_mask(y, y, _CMP_UNORD_Q), nan));
    }
  }
}

// 16 registers only: one vector of columns at a time, 8 lanes.
template <bool kSparse>
__attribute__((target("avx2,fma"))) void chain_avx2(const TensorTile& tile) {
  const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(numerics::kCanonicalNan));
  for (std::size_t column = 0; column < TensorTile::kColumns; column += 8) {
    __m256 acc[TensorTile::kLanes];
#pragma GCC unroll 8
    for (__m256& vector : acc) vector = _mm256_setzero_ps();
    const float* w = tile.stationary;
    const float* x = tile.moving + column;
    const std::uint32_t* partners = tile.partners;
    for (std::size_t row = 0; row < tile.rows; ++row) {
      __m256 x0 = _mm256_loadu_ps(x);
#pragma GCC unroll 8
      for (std::size_t lane = 0; lane < TensorTile::kLanes; ++lane) {
        if (kSparse) {
          x0 = _mm256_loadu_ps(tile.moving + column +
                               std::size_t{partners[lane]} * TensorTile::kColumns);
        }
        acc[lane] = _mm256_fmadd_ps(x0, _mm256_set1_ps(w[lane]), acc[lane]);
      }
      w += TensorTile::kLanes;
      if (kSparse) {
        partners += TensorTile::kLanes;
      } else {
        x += TensorTile::kColumns;
      }
    }
#pragma GCC unroll 8
    for (std::size_t lane = 0; lane < TensorTile::kLanes; ++lane) {
      float* psum = tile.psum + lane * tile.psum_pitch + column;
      __m256 y = acc[lane];
      if (tile.accumulate) y = _mm256_add_ps(_mm256_loadu_ps(psum), y);
      _mm256_storeu_ps(psum, _mm256_blendv_ps(y, nan, _mm256_cmp_ps(y, y, _CMP_UNORD_Q)));
    }
  }
}

}  // namespace

void dense_kernel_avx512(const TensorTile& tile) {
  chain_avx512<false>(tile);
}
void sparse_kernel_avx512(const TensorTile& tile) {
  chain_avx512<true>(tile);
}
void dense_kernel_avx2(const TensorTile& tile) {
  chain_avx2<false>(tile);
}
void sparse_kernel_avx2(const TensorTile& tile) {
  chain_avx2<true>(tile);
}

}  // namespace tern

#endif

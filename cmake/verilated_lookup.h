// SPDX-License-Identifier: Apache-2.0
// For cmake/tidy-verilated: lookups in a table of 64 words, lane by lane. AVX-512 looks up words of
// registers several times as fast as words of memory. Other hosts run the loop that Verilator
// wrote.
#pragma once

#ifdef __AVX512F__
#define TERN_LOOKUP_ROW
#include <immintrin.h>

#include <cstdint>

namespace tern {

// y[i] = table[x[i] >> shift & 63] for i < lanes, a multiple of 16; x and y do not overlap.
inline void lookup_row(std::uint32_t* y, const std::uint32_t* x, unsigned lanes, unsigned shift,
                       const std::uint32_t* table) {
  const __m512i t0 = _mm512_loadu_si512(table), t1 = _mm512_loadu_si512(table + 16),
                t2 = _mm512_loadu_si512(table + 32), t3 = _mm512_loadu_si512(table + 48);
  for (unsigned i = 0; i < lanes; i += 16) {
    const __m512i index = _mm512_srli_epi32(_mm512_loadu_si512(x + i), shift);
    const __mmask16 upper = _mm512_test_epi32_mask(index, _mm512_set1_epi32(32));
    const __m512i low = _mm512_permutex2var_epi32(t0, index, t1);
    const __m512i high = _mm512_permutex2var_epi32(t2, index, t3);
    _mm512_storeu_si512(y + i, _mm512_mask_blend_epi32(upper, low, high));
  }
}

}  // namespace tern
#endif

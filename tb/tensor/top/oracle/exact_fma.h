// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tern::tb {

// a * b + c and a + b in binary32 with one rounding to nearest even, by MPFR. NaN is canonical.
float exact_fma(float a, float b, float c);
float exact_add(float a, float b);
// integer * 2^exponent in binary32, rounded once.
float exact_scaled(__int128 integer, int exponent);

}  // namespace tern::tb

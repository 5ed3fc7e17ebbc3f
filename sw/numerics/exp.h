// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tern::numerics {

// The exponential of the arithmetic contract: bit-exact by definition (docs/numerics.md), at most
// 0.81 ulp from the true value, monotonic. Integer work only.
float exp(float d);

// What the exponential units compute: exp(round(x - m)).
float exp_of_difference(float x, float m);

// The same bits for n elements, with a loop that compilers vectorise. Source and result may be the
// same array, but must not overlap otherwise.
void exp_row(const float* d, float* y, std::size_t n);

// The significand of 2^(fraction / 2^28) in units of 2^-28, before its one rounding; for tests and
// tables.
std::uint32_t exp_significand(std::uint32_t fraction);

}  // namespace tern::numerics

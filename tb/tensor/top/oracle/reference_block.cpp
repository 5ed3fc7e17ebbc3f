// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/top/oracle/reference_block.h"

#include <cmath>

#include "tb/tensor/top/oracle/exact_fma.h"

namespace tern::tb {

void BlockSum::add(const Fixed& a, const Fixed& b) {
  if (a.kind == Fixed::kFinite && b.kind == Fixed::kFinite) {
    sum_ += static_cast<__int128>(a.value) * b.value;
    return;
  }
  if (a.kind == Fixed::kNan || b.kind == Fixed::kNan || a.value == 0 || b.value == 0) {
    nan_ = true;
  } else if ((a.value < 0) == (b.value < 0)) {
    positive_ = true;
  } else {
    negative_ = true;
  }
}

float BlockSum::scaled(unsigned scale_a, unsigned scale_b) const {
  if (nan_ || (positive_ && negative_) || scale_a == 0xFF || scale_b == 0xFF) return NAN;
  if (positive_) return INFINITY;
  if (negative_) return -INFINITY;
  if (sum_ == 0) return 0.0f;
  return exact_scaled(sum_, static_cast<int>(scale_a + scale_b) - 2 * 127 - 32);
}

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tb/tensor/top/oracle/reference_element.h"

namespace tern::tb {

// The exact sum of the products of a scale block.
class BlockSum {
 public:
  void add(const Fixed& a, const Fixed& b);
  // The sum times 2^(scale_a - 127) * 2^(scale_b - 127), rounded once, by MPFR.
  float scaled(unsigned scale_a, unsigned scale_b) const;

 private:
  __int128 sum_ = 0;  // in units of 2^-32
  bool nan_ = false, positive_ = false, negative_ = false;
};

}  // namespace tern::tb

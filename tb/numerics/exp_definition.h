// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpfr.h>

#include <cmath>
#include <cstdint>

#include "sw/numerics/float_bits.h"
#include "sw/numerics/generated/exp_table.h"
#include "tb/numerics/mpfr_oracle.h"

namespace tern::tb {

// The exponential as docs/numerics.md, section 4, words it: unlimited precision (MPFR) where it
// says "exact", integers elsewhere. It shares only the table with the code under test.
inline std::uint32_t defined_exp(float d) {
  namespace table = numerics::exp_table;
  if (std::isnan(d)) return numerics::kCanonicalNan;
  if (std::fabs(d) < std::ldexp(1.0, -26)) return numerics::bits_of(1.0f);
  if (d >= numerics::float_of(table::kFirstOverflow)) return numerics::bits_of(INFINITY);
  if (d < numerics::float_of(table::kLastNonzero)) return 0;
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
  mpfr_t t;
  mpfr_init2(t, 128);
  mpfr_set_flt(t, d, MPFR_RNDN);
  mpfr_mul_ui(t, t, table::kLog2e, MPFR_RNDN);
  mpfr_mul_2si(t, t, -4, MPFR_RNDN);  // 32 fraction bits to 28
  const long floor_t = mpfr_get_si(t, MPFR_RNDD);
  const long fraction = ((floor_t % (1L << 28)) + (1L << 28)) % (1L << 28);
  const long k = (floor_t - fraction) / (1L << 28);
  const table::Segment& c = table::kSegments[fraction / (1L << 22)];
  const long rest = fraction % (1L << 22);
  const long slope = c.c1 + c.c2 * rest / (1L << 20);
  const long y = (1L << 28) + c.c0 + slope * rest / (1L << 22);
  mpfr_t result;
  mpfr_init2(result, 24);
  mpfr_set_emin(kOracleFp32.emin);
  mpfr_set_emax(kOracleFp32.emax);
  const int ternary = mpfr_set_si_2exp(result, y, k - 28, MPFR_RNDN);
  mpfr_subnormalize(result, ternary, MPFR_RNDN);
  const float value = mpfr_get_flt(result, MPFR_RNDN);
  mpfr_clear(result);
  mpfr_clear(t);
  return numerics::bits_of(value);
}

}  // namespace tern::tb

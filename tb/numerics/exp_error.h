// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpfr.h>

#include <algorithm>
#include <cmath>

namespace tern::tb {

// Distance of results from the true exponential, computed by MPFR with 80 bits.
class ExpError {
 public:
  ExpError() {
    mpfr_init2(exact_, 80);
    mpfr_init2(distance_, 80);
  }
  ~ExpError() {
    mpfr_clear(exact_);
    mpfr_clear(distance_);
  }
  ExpError(const ExpError&) = delete;
  ExpError& operator=(const ExpError&) = delete;

  // In units of the last place of the true value, `precision` bits, never below 2^smallest. 0 where
  // the true value rounds to infinity and the result is infinite.
  double ulp(float d, float y, int precision, int smallest) {
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_set_flt(exact_, d, MPFR_RNDN);
    mpfr_exp(exact_, exact_, MPFR_RNDN);
    if (mpfr_inf_p(exact_) || std::isinf(y)) {
      // Half an ulp beyond the largest finite number is where rounding gives infinity.
      mpfr_set_d(distance_, std::ldexp(2.0 - std::ldexp(1.0, -precision), 127), MPFR_RNDN);
      const bool overflows = mpfr_greaterequal_p(exact_, distance_) != 0;
      return overflows == std::isinf(y) ? 0.0 : INFINITY;
    }
    mpfr_set_flt(distance_, y, MPFR_RNDN);
    mpfr_sub(distance_, distance_, exact_, MPFR_RNDN);
    const long exponent = mpfr_zero_p(exact_) ? smallest : mpfr_get_exp(exact_) - precision;
    mpfr_mul_2si(distance_, distance_, -std::max<long>(exponent, smallest), MPFR_RNDN);
    return std::fabs(mpfr_get_d(distance_, MPFR_RNDN));
  }

  void add(float d, float y) { worst_ = std::max(worst_, ulp(d, y, 24, -149)); }
  double worst() const { return worst_; }

 private:
  mpfr_t exact_, distance_;
  double worst_ = 0;
};

}  // namespace tern::tb

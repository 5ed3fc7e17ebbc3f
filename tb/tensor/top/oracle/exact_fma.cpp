// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/top/oracle/exact_fma.h"

#include <mpfr.h>

#include <cmath>
#include <limits>

namespace tern::tb {

namespace {

class Binary32 {
 public:
  Binary32() {
    set_exponents();
    mpfr_init2(value_, 24);
  }
  explicit Binary32(float x) : Binary32() { mpfr_set_flt(value_, x, MPFR_RNDN); }
  ~Binary32() { mpfr_clear(value_); }
  Binary32(const Binary32&) = delete;
  Binary32& operator=(const Binary32&) = delete;

  static void set_exponents() {  // those of binary32, subnormals included
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
  }
  mpfr_ptr get() { return value_; }
  float rounded(int ternary) {
    mpfr_subnormalize(value_, ternary, MPFR_RNDN);
    return mpfr_nan_p(value_) ? std::numeric_limits<float>::quiet_NaN()
                              : mpfr_get_flt(value_, MPFR_RNDN);
  }

 private:
  mpfr_t value_;
};

}  // namespace

float exact_fma(float a, float b, float c) {
  Binary32 x(a), y(b), z(c), result;
  return result.rounded(mpfr_fma(result.get(), x.get(), y.get(), z.get(), MPFR_RNDN));
}

float exact_add(float a, float b) {
  Binary32 x(a), y(b), result;
  return result.rounded(mpfr_add(result.get(), x.get(), y.get(), MPFR_RNDN));
}

float exact_scaled(__int128 integer, int exponent) {
  const bool negative = integer < 0;
  const auto magnitude = static_cast<unsigned __int128>(negative ? -integer : integer);
  Binary32 result;
  mpfr_t exact, high;
  mpfr_init2(exact, 128);
  mpfr_init2(high, 64);
  mpfr_set_emin(mpfr_get_emin_min());  // of the exact value
  mpfr_set_emax(mpfr_get_emax_max());
  mpfr_set_ui(exact, static_cast<unsigned long>(magnitude), MPFR_RNDN);
  mpfr_set_ui_2exp(high, static_cast<unsigned long>(magnitude >> 64), 64, MPFR_RNDN);
  mpfr_add(exact, exact, high, MPFR_RNDN);
  mpfr_mul_2si(exact, exact, exponent, MPFR_RNDN);
  if (negative) mpfr_neg(exact, exact, MPFR_RNDN);
  Binary32::set_exponents();
  const int ternary = mpfr_set(result.get(), exact, MPFR_RNDN);
  const float rounded = result.rounded(mpfr_check_range(result.get(), ternary, MPFR_RNDN));
  mpfr_clear(exact);
  mpfr_clear(high);
  return rounded;
}

}  // namespace tern::tb

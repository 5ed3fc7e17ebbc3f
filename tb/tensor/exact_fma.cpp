// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/exact_fma.h"

#include <mpfr.h>

#include <cmath>
#include <limits>

namespace tern::tb {

namespace {

class Binary32 {
 public:
  Binary32() {
    mpfr_set_emin(-148);  // the exponents of binary32, subnormals included
    mpfr_set_emax(128);
    mpfr_init2(value_, 24);
  }
  explicit Binary32(float x) : Binary32() { mpfr_set_flt(value_, x, MPFR_RNDN); }
  ~Binary32() { mpfr_clear(value_); }
  Binary32(const Binary32&) = delete;
  Binary32& operator=(const Binary32&) = delete;

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

}  // namespace tern::tb

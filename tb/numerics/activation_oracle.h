// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpfr.h>

#include <cmath>

#include "sw/numerics/activation.h"

namespace tern::tb {

// The true value of an activation function, from its textbook formula with 320 bits: enough for
// every cancellation in these formulas over the inputs of the tests. prelu's slope is 0.25.
class ActivationOracle {
 public:
  ActivationOracle() {
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_inits2(320, x_, y_, s_, t_, static_cast<mpfr_ptr>(nullptr));
  }
  ~ActivationOracle() { mpfr_clears(x_, y_, s_, t_, static_cast<mpfr_ptr>(nullptr)); }
  ActivationOracle(const ActivationOracle&) = delete;
  ActivationOracle& operator=(const ActivationOracle&) = delete;

  static constexpr float kSlope = 0.25f;

  // Finite u.
  mpfr_srcptr value(numerics::ActFunction f, float u) {
    using F = numerics::ActFunction;
    mpfr_set_flt(x_, u, kNearest);
    switch (f) {
      case F::kIdentity:
        return x_;
      case F::kRelu:
        return u > 0 ? x_ : zero();
      case F::kExp:
        mpfr_exp(y_, x_, kNearest);
        return y_;
      case F::kSquare:
        mpfr_sqr(y_, x_, kNearest);
        return y_;
      case F::kPrelu:
        mpfr_mul_d(y_, x_, u > 0 ? 1.0 : kSlope, kNearest);
        return y_;
      case F::kSigmoid:
        logistic("1");
        return s_;
      case F::kGelu:
        normal_cdf();
        return times_x(s_);
      case F::kGeluDx: {  // Phi + x * phi
        normal_cdf();
        mpfr_sqr(t_, x_, kNearest);
        mpfr_div_si(t_, t_, -2, kNearest);
        mpfr_exp(t_, t_, kNearest);
        mpfr_const_pi(y_, kNearest);
        mpfr_mul_ui(y_, y_, 2, kNearest);
        mpfr_rec_sqrt(y_, y_, kNearest);
        mpfr_mul(t_, t_, y_, kNearest);
        mpfr_fma(y_, t_, x_, s_, kNearest);
        return y_;
      }
      case F::kGeluApprxTanh:  // x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))
        mpfr_pow_ui(t_, x_, 3, kNearest);
        mpfr_set_str(s_, "0.044715", 10, kNearest);
        mpfr_fma(t_, t_, s_, x_, kNearest);
        mpfr_const_pi(s_, kNearest);
        mpfr_ui_div(s_, 2, s_, kNearest);
        mpfr_sqrt(s_, s_, kNearest);
        mpfr_mul(t_, t_, s_, kNearest);
        mpfr_tanh(t_, t_, kNearest);
        mpfr_add_ui(t_, t_, 1, kNearest);
        mpfr_div_ui(t_, t_, 2, kNearest);
        return times_x(t_);
      case F::kGeluApprxSigmoid:
        logistic("1.702");
        return times_x(s_);
      case F::kGeluApprxSigmoidDx:
        return swish_slope("1.702");
      case F::kSilu:
        logistic("1");
        return times_x(s_);
      case F::kSiluDx:
        return swish_slope("1");
      case F::kTanh:
        mpfr_tanh(y_, x_, kNearest);
        return y_;
      case F::kSoftplus:
        softplus();
        return y_;
      case F::kMish:
        softplus();
        mpfr_tanh(t_, y_, kNearest);
        return times_x(t_);
      case F::kErf:
        mpfr_erf(y_, x_, kNearest);
        return y_;
      case F::kErfDx:
        mpfr_sqr(t_, x_, kNearest);
        mpfr_neg(t_, t_, kNearest);
        mpfr_exp(t_, t_, kNearest);
        mpfr_const_pi(s_, kNearest);
        mpfr_rec_sqrt(s_, s_, kNearest);
        mpfr_mul_ui(s_, s_, 2, kNearest);
        mpfr_mul(y_, t_, s_, kNearest);
        return y_;
      case F::kSign:
        mpfr_set_si(y_, u > 0 ? 1 : (u < 0 ? -1 : 0), kNearest);
        return y_;
      case F::kAbs:
        mpfr_abs(y_, x_, kNearest);
        return y_;
      case F::kLog:
        mpfr_log(y_, x_, kNearest);
        return y_;
      case F::kSin:
        mpfr_sin(y_, x_, kNearest);
        return y_;
      case F::kArctan:
        mpfr_atan(y_, x_, kNearest);
        return y_;
      case F::kSqrt:
        mpfr_sqrt(y_, x_, kNearest);
        return y_;
      case F::kRsqrt:
        mpfr_rec_sqrt(y_, x_, kNearest);
        return y_;
      case F::kReciprocal:
        mpfr_ui_div(y_, 1, x_, kNearest);
        return y_;
    }
    mpfr_set_nan(y_);
    return y_;
  }

 private:
  static constexpr mpfr_rnd_t kNearest = MPFR_RNDN;

  mpfr_srcptr zero() {
    mpfr_set_zero(y_, 1);
    return y_;
  }
  mpfr_srcptr times_x(mpfr_srcptr factor) {
    mpfr_mul(y_, x_, factor, kNearest);
    return y_;
  }
  // s = 1 / (1 + exp(-k x)), t = k x
  void logistic(const char* k) {
    mpfr_set_str(t_, k, 10, kNearest);
    mpfr_mul(t_, t_, x_, kNearest);
    mpfr_neg(s_, t_, kNearest);
    mpfr_exp(s_, s_, kNearest);
    mpfr_add_ui(s_, s_, 1, kNearest);
    mpfr_ui_div(s_, 1, s_, kNearest);
  }
  // d/dx (x s) = s * (1 + k x * (1 - s))
  mpfr_srcptr swish_slope(const char* k) {
    logistic(k);
    mpfr_ui_sub(y_, 1, s_, kNearest);
    mpfr_mul(y_, y_, t_, kNearest);
    mpfr_add_ui(y_, y_, 1, kNearest);
    mpfr_mul(y_, y_, s_, kNearest);
    return y_;
  }
  // s = (1 + erf(x / sqrt(2))) / 2
  void normal_cdf() {
    mpfr_set_ui(t_, 2, kNearest);
    mpfr_sqrt(t_, t_, kNearest);
    mpfr_div(t_, x_, t_, kNearest);
    mpfr_erf(t_, t_, kNearest);
    mpfr_add_ui(s_, t_, 1, kNearest);
    mpfr_div_ui(s_, s_, 2, kNearest);
  }
  // y = log(1 + exp(x)); beyond 300 it is x to 320 bits.
  void softplus() {
    mpfr_set(y_, x_, kNearest);
    if (mpfr_cmp_ui(x_, 300) > 0) return;
    mpfr_exp(y_, x_, kNearest);
    mpfr_add_ui(y_, y_, 1, kNearest);
    mpfr_log(y_, y_, kNearest);
  }

  mpfr_t x_, y_, s_, t_;
};

}  // namespace tern::tb

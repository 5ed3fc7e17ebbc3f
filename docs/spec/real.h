// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpfr.h>

// A number of 192 bits with MPFR's exponents: what the derivation of a table calls exact.
class Real {
 public:
  Real() { mpfr_init2(value_, 192); }
  Real(double d) : Real() { mpfr_set_d(value_, d, MPFR_RNDN); }  // NOLINT: formulas hold numbers
  Real(const Real& other) : Real() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Real& operator=(const Real& other) {
    if (this != &other) mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(value_); }

  friend Real operator+(const Real& a, const Real& b) { return a.apply(mpfr_add, b); }
  friend Real operator-(const Real& a, const Real& b) { return a.apply(mpfr_sub, b); }
  friend Real operator*(const Real& a, const Real& b) { return a.apply(mpfr_mul, b); }
  friend Real operator/(const Real& a, const Real& b) { return a.apply(mpfr_div, b); }
  friend Real operator-(const Real& a) { return a.apply(mpfr_neg); }
  friend bool operator<(const Real& a, const Real& b) {
    return mpfr_less_p(a.value_, b.value_) != 0;
  }
  friend Real abs(const Real& a) { return a.apply(mpfr_abs); }
  friend Real sqrt(const Real& a) { return a.apply(mpfr_sqrt); }
  friend Real exp(const Real& a) { return a.apply(mpfr_exp); }
  friend Real log(const Real& a) { return a.apply(mpfr_log); }
  friend Real log1p(const Real& a) { return a.apply(mpfr_log1p); }
  friend Real sin(const Real& a) { return a.apply(mpfr_sin); }
  friend Real cos(const Real& a) { return a.apply(mpfr_cos); }
  friend Real tanh(const Real& a) { return a.apply(mpfr_tanh); }
  friend Real atan(const Real& a) { return a.apply(mpfr_atan); }
  friend Real erf(const Real& a) { return a.apply(mpfr_erf); }
  friend Real erfc(const Real& a) { return a.apply(mpfr_erfc); }

  static Real decimal(const char* digits) {
    Real r;
    mpfr_set_str(r.value_, digits, 10, MPFR_RNDN);
    return r;
  }
  static Real pi() {
    Real r;
    mpfr_const_pi(r.value_, MPFR_RNDN);
    return r;
  }
  static Real power_of_two(long n) {
    Real r;
    mpfr_set_ui_2exp(r.value_, 1, n, MPFR_RNDN);
    return r;
  }
  float to_float() const { return mpfr_get_flt(value_, MPFR_RNDN); }  // one rounding
  double to_double() const { return mpfr_get_d(value_, MPFR_RNDN); }

 private:
  using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  Real apply(Unary operation) const {
    Real r;
    operation(r.value_, value_, MPFR_RNDN);
    return r;
  }
  Real apply(Binary operation, const Real& b) const {
    Real r;
    operation(r.value_, value_, b.value_, MPFR_RNDN);
    return r;
  }

  mpfr_t value_;
};

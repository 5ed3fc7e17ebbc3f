// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpfr.h>

#include <cstdint>
#include <initializer_list>

#include "sw/numerics/float_bits.h"

namespace tern::tb {

// A binary format in MPFR's convention: significands in [1/2, 1).
struct BinaryFormat {
  mpfr_prec_t precision;
  mpfr_exp_t emin, emax;
};
constexpr BinaryFormat kOracleFp32{24, -148, 128};
constexpr BinaryFormat kOracleBf16{8, -132, 128};
constexpr BinaryFormat kOracleFp16{11, -23, 16};

// Correctly rounded operations with MPFR, subnormals and specials included: independent of the
// host's floating-point unit. Results come back as the FP32 value (every format here fits), NaN as
// the canonical one.
class MpfrOracle {
 public:
  explicit MpfrOracle(const BinaryFormat& format = kOracleFp32) : format_(format) {
    mpfr_set_emin(format.emin);
    mpfr_set_emax(format.emax);
    mpfr_init2(result_, format.precision);
    for (auto& operand : operands_) mpfr_init2(operand, 24);
  }
  ~MpfrOracle() {
    mpfr_clear(result_);
    for (auto& operand : operands_) mpfr_clear(operand);
  }
  MpfrOracle(const MpfrOracle&) = delete;
  MpfrOracle& operator=(const MpfrOracle&) = delete;

  std::uint32_t add(float a, float b) { return finish(mpfr_add(result_, x(a), y(b), MPFR_RNDN)); }
  std::uint32_t subtract(float a, float b) {
    return finish(mpfr_sub(result_, x(a), y(b), MPFR_RNDN));
  }
  std::uint32_t multiply(float a, float b) {
    return finish(mpfr_mul(result_, x(a), y(b), MPFR_RNDN));
  }
  std::uint32_t divide(float a, float b) {
    return finish(mpfr_div(result_, x(a), y(b), MPFR_RNDN));
  }
  std::uint32_t fma(float a, float b, float c) {
    return finish(mpfr_fma(result_, x(a), y(b), z(c), MPFR_RNDN));
  }
  std::uint32_t exp(float a) { return finish(mpfr_exp(result_, x(a), MPFR_RNDN)); }
  std::uint32_t from_int(std::int64_t value) {
    return finish(mpfr_set_si(result_, value, MPFR_RNDN));
  }
  // The value itself, rounded to the format.
  std::uint32_t round(float a) {
    // The operand may be outside the format's exponents: it needs the wide ones to be represented.
    mpfr_set_emin(kOracleFp32.emin);
    mpfr_set_emax(kOracleFp32.emax);
    x(a);
    mpfr_set_emin(format_.emin);
    mpfr_set_emax(format_.emax);
    int ternary = mpfr_set(result_, operands_[0], MPFR_RNDN);
    ternary = mpfr_check_range(result_, ternary, MPFR_RNDN);
    return finish(ternary);
  }

 private:
  mpfr_ptr x(float v) { return set(0, v); }
  mpfr_ptr y(float v) { return set(1, v); }
  mpfr_ptr z(float v) { return set(2, v); }
  mpfr_ptr set(int i, float v) {
    mpfr_set_flt(operands_[i], v, MPFR_RNDN);
    return operands_[i];
  }
  std::uint32_t finish(int ternary) {
    mpfr_subnormalize(result_, ternary, MPFR_RNDN);
    if (mpfr_nan_p(result_)) return numerics::kCanonicalNan;
    return numerics::bits_of(mpfr_get_flt(result_, MPFR_RNDN));
  }

  BinaryFormat format_;
  mpfr_t result_;
  mpfr_t operands_[3];
};

// FP32 values at the limits of rounding, range and sign.
inline const std::initializer_list<std::uint32_t>& fp32_corners() {
  static const std::initializer_list<std::uint32_t> corners = {
      0x00000000, 0x80000000,              // zeros
      0x00000001, 0x80000001, 0x00000002,  // smallest subnormals
      0x00400000, 0x007FFFFF, 0x807FFFFF,  // half of the smallest normal, largest subnormals
      0x00800000, 0x80800000, 0x00800001,  // smallest normals
      0x01000000, 0x0C800000, 0x1F800000,  // 2^-125, 2^-102, 2^-64
      0x33000000, 0x33800000, 0x33800001,  // 2^-25, 2^-24 (half an ulp of 1) and above
      0x34000000, 0x3EAAAAAB, 0x3F000000,  // an ulp of 1, 1/3, 1/2
      0x3F7FFFFF, 0x3F800000, 0xBF800000,  // around 1
      0x3F800001, 0xBF800001, 0x3FFFFFFF,  // above 1, below 2
      0x40000000, 0x40400000, 0x4B7FFFFF,  // 2, 3, 2^24 - 1
      0x4B800000, 0x4B800001, 0x5F800000,  // 2^24, 2^24 + 2, 2^64
      0x7E800000, 0x7F000000, 0x7F7FFFFE,  // 2^126, 2^127, near the largest
      0x7F7FFFFF, 0xFF7FFFFF,              // largest finite
      0x7F800000, 0xFF800000,              // infinities
      0x7FC00000, 0xFFC00001, 0x7F800001,  // NaNs: canonical, with payload, signalling
  };
  return corners;
}

}  // namespace tern::tb

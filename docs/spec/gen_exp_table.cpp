// SPDX-License-Identifier: Apache-2.0
// Derives the table of the exponential with MPFR and prints docs/spec/exp.yaml.
// Use: gen_exp_table > docs/spec/exp.yaml
#include <mpfr.h>

#include <cstdint>
#include <cstdio>

namespace {

constexpr int kFractionBits = 28;  // of t = d * log2(e)
constexpr int kLog2eBits = 32;
constexpr int kSegmentBits = 6;
constexpr int kC0Bits = 28;
constexpr int kC1Bits = 22;
constexpr int kC2Bits = 14;
constexpr int kRestBits = kFractionBits - kSegmentBits;
constexpr mpfr_prec_t kPrecision = 256;

class Real {
 public:
  Real() { mpfr_init2(value_, kPrecision); }
  explicit Real(double d) : Real() { mpfr_set_d(value_, d, MPFR_RNDN); }
  Real(const Real& other) : Real() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Real& operator=(const Real& other) {
    if (this != &other) mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(value_); }

  Real operator+(const Real& b) const { return apply(mpfr_add, b); }
  Real operator-(const Real& b) const { return apply(mpfr_sub, b); }
  Real operator*(const Real& b) const { return apply(mpfr_mul, b); }
  Real operator/(const Real& b) const { return apply(mpfr_div, b); }
  bool operator<(const Real& b) const { return mpfr_less_p(value_, b.value_) != 0; }

  // 2^n * this.
  Real scaled(long n) const {
    Real r;
    mpfr_mul_2si(r.value_, value_, n, MPFR_RNDN);
    return r;
  }
  Real exp2() const {
    Real r;
    mpfr_exp2(r.value_, value_, MPFR_RNDN);
    return r;
  }
  std::int64_t nearest() const { return mpfr_get_si(value_, MPFR_RNDN); }

  static Real log2e() {
    Real r;
    mpfr_log2(r.value_, Real(0).set_e().value_, MPFR_RNDN);
    return r;
  }
  // cos(pi * numerator / denominator)
  static Real cos_pi(int numerator, int denominator) {
    Real r;
    mpfr_const_pi(r.value_, MPFR_RNDN);
    mpfr_mul_si(r.value_, r.value_, numerator, MPFR_RNDN);
    mpfr_div_si(r.value_, r.value_, denominator, MPFR_RNDN);
    mpfr_cos(r.value_, r.value_, MPFR_RNDN);
    return r;
  }

 private:
  using Operation = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  Real apply(Operation op, const Real& b) const {
    Real r;
    op(r.value_, value_, b.value_, MPFR_RNDN);
    return r;
  }
  Real& set_e() {
    mpfr_set_ui(value_, 1, MPFR_RNDN);
    mpfr_exp(value_, value_, MPFR_RNDN);
    return *this;
  }

  mpfr_t value_;
};

// What the segment's quadratic has to meet: 2^(segment/64 + x). t is cut off, so on average it is
// half a unit low.
Real target(int segment, const Real& x) {
  return (Real(segment).scaled(-kSegmentBits) + x + Real(0.5).scaled(-kFractionBits)).exp2();
}

struct Coefficients {
  std::int64_t c0, c1, c2;
};

// The evaluation of the contract without its c0, in units of 2^-28.
std::int64_t upper_terms(std::int64_t c1, std::int64_t c2, std::int64_t rest) {
  const std::int64_t slope = c1 + ((c2 * rest) >> (kFractionBits + kC2Bits - kC1Bits));
  return (slope * rest) >> (kFractionBits + kC1Bits - kC0Bits);
}

Coefficients fit(int segment) {
  const Real h = Real(1).scaled(-kSegmentBits);
  // Newton's interpolation through the three Chebyshev nodes of [0, h].
  Real x[3], y[3];
  for (int j = 0; j < 3; ++j) {
    x[j] = h * (Real(1) - Real::cos_pi(2 * j + 1, 6)).scaled(-1);
    y[j] = target(segment, x[j]);
  }
  const Real d01 = (y[1] - y[0]) / (x[1] - x[0]);
  const Real d12 = (y[2] - y[1]) / (x[2] - x[1]);
  const Real a2 = (d12 - d01) / (x[2] - x[0]);
  const Real a1 = d01 - a2 * (x[0] + x[1]);

  Coefficients c{};
  c.c2 = a2.scaled(kC2Bits).nearest();
  // What rounding a2 lost, q * x^2, is best replaced by the line q * (h * x - h^2 / 8); the
  // truncated product c2 * x is half a unit low on average.
  const Real q = a2 - Real(static_cast<double>(c.c2)).scaled(-kC2Bits);
  c.c1 = ((a1 + q * h).scaled(kC1Bits) + Real(0.5)).nearest();
  // c0 puts the middle of the error band of the integer evaluation at zero.
  Real low(1e9), high(-1e9);
  constexpr std::int64_t kPoints = 1 << 12;
  for (std::int64_t n = 0; n <= kPoints; ++n) {
    std::int64_t rest = n << (kRestBits - 12);
    if (n == kPoints) rest -= 1;
    const Real exact =
        target(segment, Real(static_cast<double>(rest)).scaled(-kFractionBits)).scaled(kC0Bits);
    const Real missing = exact - Real(static_cast<double>(upper_terms(c.c1, c.c2, rest)));
    if (missing < low) low = missing;
    if (high < missing) high = missing;
  }
  c.c0 = (low + high).scaled(-1).nearest() - (std::int64_t{1} << kC0Bits);
  return c;
}

}  // namespace

int main() {
  std::printf(
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# The exponential of docs/numerics.md. Printed by docs/spec/gen_exp_table.cpp: do not "
      "edit.\n"
      "# Segment s holds [c0, c1, c2]: 2^(s/64 + x) = 1 + c0/2^%d + c1/2^%d * x + c2/2^%d * x^2.\n"
      "exponential:\n"
      "  fraction_bits: %d           # of t = floor(d * log2(e))\n"
      "  segment_bits: %d\n"
      "  log2e_bits: %d\n"
      "  log2e: 0x%llX        # round(log2(e) * 2^%d)\n"
      "  c0_bits: %d\n"
      "  c1_bits: %d\n"
      "  c2_bits: %d\n"
      "  # Inputs as FP32 bits.\n"
      "  unity_below: 0x32800000      # |d| below 2^-26 gives exactly 1\n"
      "  first_overflow: 0x42B17218   # the smallest d that gives +Inf\n"
      "  last_nonzero: 0xC2CFF1B4     # the smallest d that does not give +0\n"
      "  segments:\n",
      kC0Bits, kC1Bits, kC2Bits, kFractionBits, kSegmentBits, kLog2eBits,
      static_cast<unsigned long long>(Real::log2e().scaled(kLog2eBits).nearest()), kLog2eBits,
      kC0Bits, kC1Bits, kC2Bits);
  for (int segment = 0; segment < 1 << kSegmentBits; ++segment) {
    const Coefficients c = fit(segment);
    std::printf("    - [%lld, %lld, %lld]\n", static_cast<long long>(c.c0),
                static_cast<long long>(c.c1), static_cast<long long>(c.c2));
  }
  return 0;
}

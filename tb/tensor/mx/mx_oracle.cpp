// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/mx/mx_oracle.h"

#include <mpfr.h>

#include <cmath>
#include <cstring>

namespace tern::tb {
namespace {

constexpr std::uint32_t kNan = 0x7FC00000;

struct Element {
  bool nan = false;
  bool infinite = false;
  bool negative = false;
  std::int64_t value = 0;  // in units of 2^-16
};

// A number with `exponent_bits` and `fraction_bits`, the formats' common rule for finite numbers.
Element finite(unsigned code, unsigned exponent_bits, unsigned fraction_bits, int bias) {
  const unsigned fraction = code & ((1U << fraction_bits) - 1);
  const unsigned field = (code >> fraction_bits) & ((1U << exponent_bits) - 1);
  const std::int64_t significand = field == 0 ? fraction : fraction + (1U << fraction_bits);
  const int exponent = static_cast<int>(field == 0 ? 1 : field) - bias;
  Element e;
  e.negative = ((code >> (exponent_bits + fraction_bits)) & 1) != 0;
  const int shift = exponent - static_cast<int>(fraction_bits) + 16;
  e.value = (e.negative ? -significand : significand) * (std::int64_t{1} << shift);
  return e;
}

Element decode(std::uint8_t code, MxForm form) {
  Element e;
  const unsigned magnitude = code & 0x7FU;
  switch (form) {
    case MxForm::kE4m3Fn:
      e = finite(code, 4, 3, 7);
      e.nan = magnitude == 0x7F;
      return e;
    case MxForm::kE4m3:
      e = finite(code, 4, 3, 7);
      e.nan = magnitude > 0x78;
      e.infinite = magnitude == 0x78;
      return e;
    case MxForm::kE5m2:
      e = finite(code, 5, 2, 15);
      e.nan = magnitude > 0x7C;
      e.infinite = magnitude == 0x7C;
      return e;
    case MxForm::kE2m1:
      return finite(code & 0xFU, 2, 1, 1);
  }
  return e;
}

// The exact sum of a block's products.
struct BlockSum {
  bool nan = false;
  bool positive = false;  // an infinity among the products
  bool negative = false;
  __int128 sum = 0;  // in units of 2^-32

  void add(const Element& a, const Element& b) {
    if (a.nan || b.nan) {
      nan = true;
    } else if (a.infinite || b.infinite) {
      const bool zero = (!a.infinite && a.value == 0) || (!b.infinite && b.value == 0);
      (zero ? nan : a.negative != b.negative ? negative : positive) = true;
    } else {
      sum += static_cast<__int128>(a.value) * b.value;
    }
  }

  std::uint32_t scaled(std::uint8_t sa, std::uint8_t sb) const {
    if (nan || (positive && negative) || sa == 0xFF || sb == 0xFF) return kNan;
    if (positive) return 0x7F800000;
    if (negative) return 0xFF800000;
    return mx_round(sum, sa - 127 + sb - 127);
  }
};

std::uint32_t add(std::uint32_t a, std::uint32_t b) {
  float x;
  float y;
  std::memcpy(&x, &a, 4);
  std::memcpy(&y, &b, 4);
  const float sum = x + y;
  if (std::isnan(sum)) return kNan;
  std::uint32_t bits;
  std::memcpy(&bits, &sum, 4);
  return bits;
}

}  // namespace

std::uint32_t mx_round(__int128 sum, int exponent) {
  const bool negative = sum < 0;
  const auto magnitude = static_cast<unsigned __int128>(negative ? -sum : sum);
  // FP32 in MPFR's terms: 0.1xxx * 2^e, the smallest subnormal is 0.1 * 2^-148.
  const mpfr_exp_t emin = mpfr_get_emin();
  const mpfr_exp_t emax = mpfr_get_emax();
  mpfr_t exact;
  mpfr_t low;
  mpfr_t result;
  mpfr_init2(exact, 160);
  mpfr_init2(low, 160);
  mpfr_init2(result, 24);
  mpfr_set_ui_2exp(exact, static_cast<unsigned long>(magnitude >> 64), 64, MPFR_RNDN);
  mpfr_set_ui(low, static_cast<unsigned long>(magnitude), MPFR_RNDN);
  mpfr_add(exact, exact, low, MPFR_RNDN);
  mpfr_mul_2si(exact, exact, exponent - 32, MPFR_RNDN);
  if (negative && magnitude != 0) mpfr_neg(exact, exact, MPFR_RNDN);
  mpfr_set_emin(-148);
  mpfr_set_emax(128);
  int ternary = mpfr_set(result, exact, MPFR_RNDN);
  ternary = mpfr_check_range(result, ternary, MPFR_RNDN);
  mpfr_subnormalize(result, ternary, MPFR_RNDN);
  const float value = mpfr_get_flt(result, MPFR_RNDN);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  mpfr_clear(exact);
  mpfr_clear(low);
  mpfr_clear(result);
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

std::uint32_t mx_expected(const MxOperand& stationary, unsigned column, const MxOperand& moving,
                          unsigned moving_column, unsigned port) {
  std::uint32_t acc = 0;
  const auto product = [&](BlockSum& block, unsigned slot, unsigned row) {
    block.add(decode(stationary.element(slot, row, column), stationary.form),
              decode(moving.element(slot, row, moving_column), moving.form));
  };
  if (moving.mode == MxMode::kQuad) {
    for (unsigned quadrant = 0; quadrant < moving.rows / 32; ++quadrant) {
      BlockSum block;
      for (unsigned row = 32 * quadrant; row < 32 * quadrant + 32; ++row) product(block, port, row);
      const unsigned index = 4 * quadrant + port;
      acc = add(acc,
                block.scaled(stationary.scale(index, column), moving.scale(index, moving_column)));
    }
    return acc;
  }
  const unsigned slots = moving.mode == MxMode::kDoubleRow ? 2 : 4;
  for (unsigned index = 0; index < moving.rows / 8; ++index) {
    BlockSum block;
    for (unsigned row = 8 * index; row < 8 * index + 8; ++row) {
      for (unsigned slot = 0; slot < slots; ++slot) product(block, slot, row);
    }
    acc =
        add(acc, block.scaled(stationary.scale(index, column), moving.scale(index, moving_column)));
  }
  return acc;
}

}  // namespace tern::tb

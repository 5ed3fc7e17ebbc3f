// SPDX-License-Identifier: Apache-2.0
#include "systemc/riscv/float/unpacked.h"

namespace tern::riscv {

namespace {

// A sum of two numbers other than 0, aligned in 128 bits.
template <typename Bits>
Bits add_finite(Unpacked a, Unpacked b, FloatContext& context) {
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
    const Unpacked larger = b;
    b = a;
    a = larger;
  }
  constexpr int kGuard = 62;
  const Wide large = Wide{a.significand} << kGuard;
  const Wide small = shift_right_jam(Wide{b.significand} << kGuard, a.exponent - b.exponent);
  const Wide sum = a.negative == b.negative ? large + small : large - small;
  if (sum == 0) return zero_is_negative(context) ? Format<Bits>::kSign : 0;
  return normalize_and_pack<Bits>(a.negative, a.exponent - 63 - kGuard, sum, context);
}

// 256 bits, for the sum of a product and a number.
struct Long {
  Wide high = 0, low = 0;
};

Long jam(Long value, int shift) {
  if (shift <= 0) return value;
  if (shift >= 128) return {0, shift_right_jam(value.high, shift - 128) | (value.low != 0 ? 1 : 0)};
  const Wide lost = value.low & ((Wide{1} << shift) - 1);
  return {value.high >> shift,
          (value.low >> shift) | (value.high << (128 - shift)) | (lost != 0 ? 1 : 0)};
}

bool below(const Long& a, const Long& b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}

Long sum(const Long& a, const Long& b) {
  Long r{a.high + b.high, a.low + b.low};
  if (r.low < a.low) ++r.high;
  return r;
}

Long difference(const Long& a, const Long& b) {
  return {a.high - b.high - (a.low < b.low ? 1 : 0), a.low - b.low};
}

// The product, of 128 bits with value product * 2^(exponent - 127), plus c.
template <typename Bits>
Bits add_to_product(bool negative, int exponent, Wide product, const Unpacked& c,
                    FloatContext& context) {
  Long p{product >> 1, product << 127}, q{Wide{c.significand} << 63, 0};  // both end at bit 254
  int top = exponent;
  if (exponent >= c.exponent) {
    q = jam(q, exponent - c.exponent);
  } else {
    p = jam(p, c.exponent - exponent);
    top = c.exponent;
  }
  bool sign = negative;
  Long r;
  if (negative == c.negative) {
    r = sum(p, q);
  } else if (below(p, q)) {
    sign = c.negative;
    r = difference(q, p);
  } else {
    r = difference(p, q);
  }
  if (r.high == 0 && r.low == 0) return zero_is_negative(context) ? Format<Bits>::kSign : 0;
  if (r.high == 0) return normalize_and_pack<Bits>(sign, top - 254, r.low, context);
  // 128 bits from the highest one are enough.
  const auto high = static_cast<std::uint64_t>(r.high >> 64);
  const int zeros =
      high != 0 ? __builtin_clzll(high) : 64 + __builtin_clzll(static_cast<std::uint64_t>(r.high));
  const Wide lead = zeros == 0 ? r.high : (r.high << zeros) | (r.low >> (128 - zeros));
  const bool sticky = (zeros == 0 ? r.low : r.low << zeros) != 0;
  return normalize_and_pack<Bits>(sign, top - 126 - zeros, lead | (sticky ? 1 : 0), context);
}

Wide square_root(Wide value) {
  Wide root = 0;
  for (Wide bit = Wide{1} << 63; bit != 0; bit >>= 1) {
    const Wide trial = root | bit;
    if (trial * trial <= value) root = trial;
  }
  return root;
}

}  // namespace

template <typename Bits>
Bits add(Bits a, Bits b, FloatContext& context) {
  if (is_nan(a) || is_nan(b)) return propagate<Bits>(is_signalling(a) || is_signalling(b), context);
  if (is_infinite(a)) return is_infinite(b) && a != b ? invalid<Bits>(context) : a;
  if (is_infinite(b)) return b;
  if (is_zero(a) && is_zero(b)) {
    if (a == b) return a;
    return zero_is_negative(context) ? Format<Bits>::kSign : 0;
  }
  if (is_zero(a)) return b;
  if (is_zero(b)) return a;
  return add_finite<Bits>(unpack(a), unpack(b), context);
}

template <typename Bits>
Bits sub(Bits a, Bits b, FloatContext& context) {
  return add<Bits>(a, is_nan(b) ? b : b ^ Format<Bits>::kSign, context);
}

template <typename Bits>
Bits mul(Bits a, Bits b, FloatContext& context) {
  if (is_nan(a) || is_nan(b)) return propagate<Bits>(is_signalling(a) || is_signalling(b), context);
  const Bits sign = (a ^ b) & Format<Bits>::kSign;
  if (is_infinite(a) || is_infinite(b)) {
    if (is_zero(a) || is_zero(b)) return invalid<Bits>(context);
    return sign | Format<Bits>::kInfinity;
  }
  if (is_zero(a) || is_zero(b)) return sign;
  const Unpacked x = unpack(a), y = unpack(b);
  return normalize_and_pack<Bits>(sign != 0, x.exponent + y.exponent - 126,
                                  Wide{x.significand} * y.significand, context);
}

template <typename Bits>
Bits div(Bits a, Bits b, FloatContext& context) {
  if (is_nan(a) || is_nan(b)) return propagate<Bits>(is_signalling(a) || is_signalling(b), context);
  const Bits sign = (a ^ b) & Format<Bits>::kSign;
  if (is_infinite(a))
    return is_infinite(b) ? invalid<Bits>(context) : sign | Format<Bits>::kInfinity;
  if (is_infinite(b)) return sign;
  if (is_zero(b)) {
    if (is_zero(a)) return invalid<Bits>(context);
    context.flags |= kDivideByZero;
    return sign | Format<Bits>::kInfinity;
  }
  if (is_zero(a)) return sign;
  const Unpacked x = unpack(a), y = unpack(b);
  const Wide numerator = Wide{x.significand} << 63;
  const Wide quotient = numerator / y.significand;
  const Wide sticky = numerator % y.significand != 0 ? 1 : 0;
  return normalize_and_pack<Bits>(sign != 0, x.exponent - y.exponent - 64, quotient << 1 | sticky,
                                  context);
}

template <typename Bits>
Bits sqrt(Bits a, FloatContext& context) {
  if (is_nan(a)) return propagate<Bits>(is_signalling(a), context);
  if (is_zero(a)) return a;
  if (is_negative(a)) return invalid<Bits>(context);
  if (is_infinite(a)) return a;
  const Unpacked x = unpack(a);
  const int shift = x.exponent % 2 == 0 ? 63 : 62;  // what remains of the exponent is even
  const Wide value = Wide{x.significand} << shift;
  const Wide root = square_root(value);
  const Wide sticky = root * root != value ? 1 : 0;
  return normalize_and_pack<Bits>(false, (x.exponent - 63 - shift) / 2 - 1, root << 1 | sticky,
                                  context);
}

template <typename Bits>
Bits fused_multiply_add(Bits a, Bits b, Bits c, FloatContext& context) {
  const bool undefined = (is_infinite(a) && is_zero(b)) || (is_zero(a) && is_infinite(b));
  if (is_nan(a) || is_nan(b) || is_nan(c) || undefined) {
    return propagate<Bits>(undefined || is_signalling(a) || is_signalling(b) || is_signalling(c),
                           context);
  }
  const Bits sign = (a ^ b) & Format<Bits>::kSign;
  if (is_infinite(a) || is_infinite(b)) {
    const Bits product = sign | Format<Bits>::kInfinity;
    return is_infinite(c) && c != product ? invalid<Bits>(context) : product;
  }
  if (is_infinite(c)) return c;
  if (is_zero(a) || is_zero(b)) return add<Bits>(sign, c, context);
  const Unpacked x = unpack(a), y = unpack(b);
  Wide product = Wide{x.significand} * y.significand;
  int exponent = x.exponent + y.exponent + 1;
  if (product >> 127 == 0) {
    product <<= 1;
    --exponent;
  }
  if (is_zero(c)) return normalize_and_pack<Bits>(sign != 0, exponent - 127, product, context);
  return add_to_product<Bits>(sign != 0, exponent, product, unpack(c), context);
}

#define TERN_INSTANTIATE(Bits)                        \
  template Bits add<Bits>(Bits, Bits, FloatContext&); \
  template Bits sub<Bits>(Bits, Bits, FloatContext&); \
  template Bits mul<Bits>(Bits, Bits, FloatContext&); \
  template Bits div<Bits>(Bits, Bits, FloatContext&); \
  template Bits sqrt<Bits>(Bits, FloatContext&);      \
  template Bits fused_multiply_add<Bits>(Bits, Bits, Bits, FloatContext&);
TERN_INSTANTIATE(std::uint32_t)
TERN_INSTANTIATE(std::uint64_t)
#undef TERN_INSTANTIATE

}  // namespace tern::riscv

// SPDX-License-Identifier: Apache-2.0
#include "systemc/riscv/float/unpacked.h"

namespace tern::riscv {

namespace {

// Of two numbers; with -0 below +0 if `zeros_differ`.
template <typename Bits>
bool is_less(Bits a, Bits b, bool zeros_differ) {
  if (is_zero(a) && is_zero(b) && !zeros_differ) return false;
  if (is_negative(a) != is_negative(b)) return is_negative(a);
  return is_negative(a) ? a > b : a < b;
}

template <typename Bits>
Bits pick(Bits a, Bits b, bool lower, FloatContext& context) {
  if (is_signalling(a) || is_signalling(b)) context.flags |= kInvalid;
  if (is_nan(a)) return is_nan(b) ? kCanonicalNan<Bits> : b;
  if (is_nan(b)) return a;
  return is_less(a, b, true) == lower ? a : b;
}

template <typename Bits>
bool ordered(Bits a, Bits b, FloatContext& context) {
  if (!is_nan(a) && !is_nan(b)) return true;
  context.flags |= kInvalid;
  return false;
}

}  // namespace

template <typename Bits>
Bits min(Bits a, Bits b, FloatContext& context) {
  return pick(a, b, true, context);
}

template <typename Bits>
Bits max(Bits a, Bits b, FloatContext& context) {
  return pick(a, b, false, context);
}

template <typename Bits>
bool equal(Bits a, Bits b, FloatContext& context) {
  if (is_signalling(a) || is_signalling(b)) context.flags |= kInvalid;
  if (is_nan(a) || is_nan(b)) return false;
  return a == b || (is_zero(a) && is_zero(b));
}

template <typename Bits>
bool less(Bits a, Bits b, FloatContext& context) {
  return ordered(a, b, context) && is_less(a, b, false);
}

template <typename Bits>
bool less_equal(Bits a, Bits b, FloatContext& context) {
  return ordered(a, b, context) && !is_less(b, a, false);
}

template <typename Bits>
unsigned classify(Bits a) {
  using F = Format<Bits>;
  if (is_nan(a)) return is_signalling(a) ? 1u << 8 : 1u << 9;
  const Bits magnitude = a & ~F::kSign;
  const unsigned from_zero = is_infinite(a)                          ? 3
                             : is_zero(a)                            ? 0
                             : magnitude < (Bits{1} << F::kFraction) ? 1
                                                                     : 2;
  return 1u << (is_negative(a) ? 3 - from_zero : 4 + from_zero);
}

#define TERN_INSTANTIATE(Bits)                               \
  template Bits min<Bits>(Bits, Bits, FloatContext&);        \
  template Bits max<Bits>(Bits, Bits, FloatContext&);        \
  template bool equal<Bits>(Bits, Bits, FloatContext&);      \
  template bool less<Bits>(Bits, Bits, FloatContext&);       \
  template bool less_equal<Bits>(Bits, Bits, FloatContext&); \
  template unsigned classify<Bits>(Bits);
TERN_INSTANTIATE(std::uint32_t)
TERN_INSTANTIATE(std::uint64_t)
#undef TERN_INSTANTIATE

}  // namespace tern::riscv

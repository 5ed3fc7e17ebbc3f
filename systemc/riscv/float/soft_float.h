// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern::riscv {

// As frm encodes them.
enum class Rounding : std::uint8_t { kNearestEven, kTowardZero, kDown, kUp, kNearestMaxMagnitude };

// Bits of fflags.
constexpr std::uint8_t kInexact = 1, kUnderflow = 2, kOverflow = 4, kDivideByZero = 8,
                       kInvalid = 16;

// What operations return for "not a number", whatever NaN they read.
template <typename Bits>
constexpr Bits kCanonicalNan = sizeof(Bits) == 8 ? Bits(0x7ff8000000000000) : Bits(0x7fc00000);

struct FloatContext {
  Rounding rounding = Rounding::kNearestEven;
  std::uint8_t flags = 0;  // operations add theirs
};

// IEEE 754-2008 arithmetic as RISC-V defines it: tininess after rounding, NaN results are the
// canonical quiet one. Bits: std::uint32_t for binary32, std::uint64_t for binary64. Integers only,
// so results depend on no compiler and no state of the host.
template <typename Bits>
Bits add(Bits a, Bits b, FloatContext& context);
template <typename Bits>
Bits sub(Bits a, Bits b, FloatContext& context);
template <typename Bits>
Bits mul(Bits a, Bits b, FloatContext& context);
template <typename Bits>
Bits div(Bits a, Bits b, FloatContext& context);
template <typename Bits>
Bits sqrt(Bits a, FloatContext& context);
// a * b + c, rounded once.
template <typename Bits>
Bits fused_multiply_add(Bits a, Bits b, Bits c, FloatContext& context);

// minimumNumber and maximumNumber of IEEE 754-2019; -0 is less than +0.
template <typename Bits>
Bits min(Bits a, Bits b, FloatContext& context);
template <typename Bits>
Bits max(Bits a, Bits b, FloatContext& context);
// Quiet: only signalling NaNs are invalid.
template <typename Bits>
bool equal(Bits a, Bits b, FloatContext& context);
// Signalling: any NaN is invalid.
template <typename Bits>
bool less(Bits a, Bits b, FloatContext& context);
template <typename Bits>
bool less_equal(Bits a, Bits b, FloatContext& context);
// The mask of fclass.
template <typename Bits>
unsigned classify(Bits a);

std::uint64_t widen(std::uint32_t a, FloatContext& context);
std::uint32_t narrow(std::uint64_t a, FloatContext& context);
// Saturates; NaN becomes the highest value. Int: of 32 or 64 bits.
template <typename Int, typename Bits>
Int to_integer(Bits a, FloatContext& context);
template <typename Bits, typename Int>
Bits from_integer(Int value, FloatContext& context);

}  // namespace tern::riscv

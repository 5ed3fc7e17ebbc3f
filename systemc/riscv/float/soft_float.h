// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern::riscv {

enum class Rounding : std::uint8_t { kNearestEven, kTowardZero, kDown, kUp, kNearestMaxMagnitude };

struct FloatContext {
  Rounding rounding = Rounding::kNearestEven;
  std::uint8_t flags = 0;
};

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
template <typename Bits>
Bits fused_multiply_add(Bits a, Bits b, Bits c, FloatContext& context);
template <typename Bits>
Bits min(Bits a, Bits b, FloatContext& context);
template <typename Bits>
Bits max(Bits a, Bits b, FloatContext& context);
template <typename Bits>
bool equal(Bits a, Bits b, FloatContext& context);
template <typename Bits>
bool less(Bits a, Bits b, FloatContext& context);
template <typename Bits>
bool less_equal(Bits a, Bits b, FloatContext& context);
template <typename Bits>
unsigned classify(Bits a);
std::uint64_t widen(std::uint32_t a, FloatContext& context);
std::uint32_t narrow(std::uint64_t a, FloatContext& context);
template <typename Int, typename Bits>
Int to_integer(Bits a, FloatContext& context);
template <typename Bits, typename Int>
Bits from_integer(Int value, FloatContext& context);

}  // namespace tern::riscv

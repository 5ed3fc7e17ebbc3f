// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "systemc/riscv/float/soft_float.h"

namespace tern::tb {

// The host's floating-point unit as an oracle. It has no rounding to nearest with ties away, and
// its NaNs are not RISC-V's: canonical() makes them so.
enum class Operation : std::uint8_t { kAdd, kSub, kMul, kDiv, kSqrt, kFma };

template <typename Bits>
Bits host_result(Operation operation, Bits a, Bits b, Bits c, riscv::FloatContext& context);
std::uint64_t host_widen(std::uint32_t a, riscv::FloatContext& context);
std::uint32_t host_narrow(std::uint64_t a, riscv::FloatContext& context);
// Of a number rounded to an integer value, still floating point.
template <typename Bits>
Bits host_to_integral(Bits a, riscv::Rounding rounding);
template <typename Bits>
Bits host_from_integer(std::int64_t value, bool is_unsigned, riscv::FloatContext& context);

}  // namespace tern::tb

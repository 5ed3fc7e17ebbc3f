// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tb/riscv/float/outcome.h"

namespace tern::tb {

// Results and flags of this host's floating-point unit, in four of the five rounding modes. NaNs
// come back as the canonical one.
namespace host {

constexpr bool rounds(riscv::Rounding rounding) {
  return rounding != riscv::Rounding::kNearestMaxMagnitude;
}

template <typename Bits>
Outcome compute(Operation operation, const Operands<Bits>& operands, riscv::Rounding rounding);
template <typename Bits>
Outcome compare(Relation relation, Bits a, Bits b);
// The mask of fclass.
template <typename Bits>
Outcome classify(Bits value);
Outcome widen(std::uint32_t value);
Outcome narrow(std::uint64_t value, riscv::Rounding rounding);
template <typename Int, typename Bits>
Outcome to_integer(Bits value, riscv::Rounding rounding);
template <typename Bits, typename Int>
Outcome from_integer(Int value, riscv::Rounding rounding);

}  // namespace host
}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "systemc/riscv/float/soft_float.h"

namespace tern::riscv {

// A binary32 in a register of 64 bits: the upper half is ones. Anything else reads as NaN.
inline std::uint64_t box(std::uint32_t value) {
  return 0xffffffff00000000u | value;
}

inline std::uint32_t unbox(std::uint64_t value) {
  const bool boxed = value >> 32 == 0xffffffffu;
  return boxed ? static_cast<std::uint32_t>(value) : kCanonicalNan<std::uint32_t>;
}

}  // namespace tern::riscv

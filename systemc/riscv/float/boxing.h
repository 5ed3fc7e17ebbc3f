// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern::riscv {

// A binary32 in a register of 64 bits: the upper half is ones. Anything else reads as NaN.
inline std::uint64_t box(std::uint32_t value) {
  return 0xffffffff00000000u | value;
}

inline std::uint32_t unbox(std::uint64_t value) {
  constexpr std::uint32_t kNan = 0x7fc00000;
  return value >> 32 == 0xffffffffu ? static_cast<std::uint32_t>(value) : kNan;
}

}  // namespace tern::riscv

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern::riscv {

inline std::uint64_t box(std::uint32_t value) {
  return 0xffffffff00000000u | value;
}
inline std::uint32_t unbox(std::uint64_t value) {
  return value >> 32 == 0xffffffffu ? static_cast<std::uint32_t>(value) : 0x7fc00000u;
}

}  // namespace tern::riscv

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern::qos {

// The next one after `last` in round-robin order among the bits set in `mask` (not 0).
inline unsigned next_after(unsigned last, std::uint64_t mask) {
  const std::uint64_t above = last >= 63 ? 0 : mask & ~std::uint64_t{0} << (last + 1);
  return static_cast<unsigned>(__builtin_ctzll(above != 0 ? above : mask));
}

}  // namespace tern::qos

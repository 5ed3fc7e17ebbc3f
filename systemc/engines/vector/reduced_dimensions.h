// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/spec/access_pattern.h"
#include "sw/spec/generated/isa.h"

namespace tern {

// Inner dimensions that tensor_reduce reduces over, from imm0: 1, 2, 3 or 4; 0.0 means 1; 0 if the
// field holds any other value.
inline unsigned reduced_dimensions(const tern_instr_elementwise_t& in) {
  if (in.imm0 == 0.0f) return 1;
  for (unsigned count = 1; count <= 4; ++count) {
    if (in.imm0 == static_cast<float>(count)) return count;
  }
  return 0;
}

// Elements of one reduction.
inline std::uint64_t reduced_elements(const AccessPattern& source, unsigned dimensions) {
  std::uint64_t elements = 1;
  for (unsigned d = 0; d < dimensions; ++d) elements *= source.num(d);
  return elements;
}

}  // namespace tern

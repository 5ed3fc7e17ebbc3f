// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/special/affine.h"

#include <stdexcept>

#include "sw/spec/generated/isa.h"

namespace tern {

std::vector<std::int32_t> AffineFunction::row(unsigned partition) const {
  std::vector<std::int32_t> values;
  values.reserve(std::size_t{num[0]} * num[1] * num[2] * num[3]);
  const auto add = [](std::uint32_t value, std::uint32_t index, std::int32_t step) {
    return value + index * static_cast<std::uint32_t>(step);
  };
  const std::uint32_t first = add(static_cast<std::uint32_t>(base), partition, channel_multiplier);
  for (std::uint32_t i3 = 0; i3 < num[3]; ++i3) {
    for (std::uint32_t i2 = 0; i2 < num[2]; ++i2) {
      for (std::uint32_t i1 = 0; i1 < num[1]; ++i1) {
        const std::uint32_t outer = add(add(add(first, i3, step[3]), i2, step[2]), i1, step[1]);
        for (std::uint32_t i0 = 0; i0 < num[0]; ++i0) {
          values.push_back(static_cast<std::int32_t>(add(outer, i0, step[0])));
        }
      }
    }
  }
  return values;
}

bool compares_with_zero(unsigned op, std::int32_t value) {
  switch (op) {
    case TERN_ALU_OP_IS_EQ:
      return value == 0;
    case TERN_ALU_OP_IS_NE:
      return value != 0;
    case TERN_ALU_OP_IS_GE:
      return value >= 0;
    case TERN_ALU_OP_IS_GT:
      return value > 0;
    case TERN_ALU_OP_IS_LE:
      return value <= 0;
    case TERN_ALU_OP_IS_LT:
      return value < 0;
    default:
      throw std::logic_error("not a comparison");
  }
}

}  // namespace tern

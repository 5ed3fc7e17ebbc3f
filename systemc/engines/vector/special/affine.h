// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tern {

// The values that iota writes and affine_select compares with 0: base + partition *
// channel_multiplier + sum of index_d * step_d, in 32 bits, modulo 2^32.
struct AffineFunction {
  std::int32_t base = 0, channel_multiplier = 0;
  std::array<std::int32_t, 4> step{};
  std::array<std::uint32_t, 4> num{1, 1, 1, 1};  // dimension 0 is the fastest

  // All values of a partition, in element order.
  std::vector<std::int32_t> row(unsigned partition) const;
};

// alu_op is_eq .. is_lt of value with 0.
bool compares_with_zero(unsigned op, std::int32_t value);

}  // namespace tern

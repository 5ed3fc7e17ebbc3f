// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "systemc/engines/exp/exp_unit.h"

namespace tern::cosim {

// Between a request's rows, one partition after the other, and words at the ports of the unit: word
// i * kExpPartitions + p is element first + i of partition p, for i < count.
void gather(const ExpRequest& request, std::size_t first, std::size_t count, std::uint32_t* words);
void scatter(const ExpRequest& request, std::size_t first, std::size_t count,
             const std::uint32_t* words);

}  // namespace tern::cosim

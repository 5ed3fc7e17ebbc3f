// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/numerics/dtype.h"
#include "sw/numerics/float_bits.h"
#include "systemc/engines/exp/exp_unit.h"
#include "tb/common/mismatch.h"

namespace tern::tb {

inline unsigned bits_in(numerics::DType type) {
  return static_cast<unsigned>(8 * numerics::dtype_size(type));
}

// An element of a row whose first group entered in cycle `begin`: no group waits, the first leaves
// kExpLatency cycles later.
inline Where exp_element(std::uint64_t begin, std::size_t partition, std::size_t element,
                         numerics::DType from, std::uint32_t raw, float m, numerics::DType to) {
  return {"port data_o, lane " + std::to_string(partition) + ", element " + std::to_string(element),
          std::string(numerics::dtype_name(from)) + " " + hex(raw, bits_in(from)) + " minus " +
              hex(numerics::bits_of(m)) + ", to " + std::string(numerics::dtype_name(to)),
          begin + element / kExpPerCycle + kExpLatency};
}

}  // namespace tern::tb

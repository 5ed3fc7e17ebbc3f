// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

#include "tb/common/mismatch.h"

namespace tern::tb {

// A port of a Verilated model of any width as one hexadecimal number, without zeros in front.
template <typename Port>
std::string port_hex(const Port& port) {
  if constexpr (std::is_integral_v<Port>) {
    return hex(port, 1);
  } else {
    return hex_number({std::begin(port.m_storage), std::end(port.m_storage)});
  }
}

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern {

// Set in the detail of a fault of data, which distinguishes it from a detail of
// check_instruction(), and the byte of the next field.
constexpr std::uint32_t kDataFault = 0x80;

// Thrown by an instruction whose data is invalid, such as an index outside its row. It has
// written nothing; its queue stops with this error.
struct EngineFault {
  unsigned code = 0;  // TERN_ERROR_...
  std::uint32_t detail = 0;
  std::uint32_t value = 0;  // what is invalid
};

}  // namespace tern

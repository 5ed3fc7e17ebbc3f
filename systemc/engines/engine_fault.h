// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern {

// What an instruction throws that finds its data at fault, such as an index outside its row. It has
// written nothing; its queue stops with this error.
struct EngineFault {
  unsigned code = 0;  // TERN_ERROR_...
  std::uint32_t detail = 0;
};

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/executable.h"

namespace tern {

std::uint64_t TensorInfo::bytes() const {
  std::uint64_t bytes = numerics::dtype_size(dtype);
  for (const std::uint64_t size : shape) bytes *= size;
  return bytes;
}

}  // namespace tern

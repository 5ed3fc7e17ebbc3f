// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tern {

// Read and write access to SBUF: partition p starts at base + p * pitch.
struct SbufAccess {
  std::uint8_t* base = nullptr;
  std::size_t pitch = 0;
  std::uint8_t* partition(unsigned p) const { return base + p * pitch; }
};

}  // namespace tern

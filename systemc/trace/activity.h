// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern::trace {

// What a piece of work moves and computes, for estimates of its energy (docs/energy.md).
struct Activity {
  std::uint64_t array_a = 0, array_x = 0;  // multiply-adds of the tensor engine's arrays
  std::uint64_t weights = 0;               // elements loaded into their cells
  std::uint64_t elements = 0;              // operations of Vector, Scalar and GpSimd on one element
  std::uint64_t exponentials = 0;          // of the exponential unit
  std::uint64_t sbuf_bytes = 0, psum_bytes = 0;  // read and written by engines
  std::uint64_t dma_bytes = 0;                   // moved by a DMA engine
};

}  // namespace tern::trace

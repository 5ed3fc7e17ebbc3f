// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/base/aligned_vector.h"
#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern::bench {

// A square MXFP8 (E4M3FN) matrix product on the tensor engine: operands in SBUF, 512 k in a slab.
class MxProduct {
 public:
  // `pitch`: bytes from one partition to the next.
  MxProduct(unsigned size, std::size_t pitch);

  SbufView sbuf() const { return {sbuf_.data(), pitch_}; }
  void run(TensorDatapath& engine);
  // Of `samples` results, those that differ from the definition in docs/numerics.md.
  std::size_t mismatches(std::size_t samples) const;

 private:
  // Byte addresses of column `i` of a slab; operand 0 is the stationary one, 1 the moving one.
  unsigned element(unsigned operand, unsigned slab, unsigned i) const;
  unsigned scale(unsigned operand, unsigned slab, unsigned i) const;
  float result(unsigned m, unsigned n) const;

  unsigned size_, slabs_;
  std::size_t pitch_;
  AlignedVector<std::uint8_t> sbuf_;
  std::vector<float> result_;  // [m][n]
};

}  // namespace tern::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "sw/base/aligned_vector.h"
#include "sw/base/math.h"
#include "systemc/engines/tensor/block_operands.h"
#include "systemc/engines/tensor/psum_memory.h"
#include "systemc/engines/tensor/tensor_kernel.h"
#include "systemc/engines/tensor/tensor_operands.h"
#include "systemc/engines/tensor/tensor_stationary.h"

namespace tern {

// The arithmetic of array X: exact block sums, scaled, rounded once and added. Sums of up to 53
// bits are chains of double. Those of E5M2 with an 8-bit format are the total of three such chains,
// one for each class of magnitudes of one operand. A fourth chain is added where NaN or infinities
// meet.
class BlockArray {
 public:
  BlockArray(const TensorShape& shape, SbufView sbuf, const TensorKernels& kernels)
      : shape_(shape), sbuf_(sbuf), kernels_(kernels) {}

  void load(TensorStationary* stationary) const;
  void multiply(const TensorCommand& command, const TensorStationary& stationary, PsumMemory* psum);

 private:
  static constexpr std::size_t kLanes = BlockTile::kLanes;
  static constexpr std::size_t kColumns = BlockTile::kColumns;

  // The decoded moving operand of one block.
  struct Panel {
    AlignedVector<double> values, finite;
    std::array<AlignedVector<double>, 3> classes;
    alignas(64) std::array<double, kColumns> scales;
    bool specials = false;
  };
  struct Readers {
    std::vector<PatternReader> planes;
    PatternReader scales;
  };
  struct Stretch {  // columns computed together
    std::size_t column, width;
  };
  void decode(const TensorCommand& command, const BlockLayout& layout, const Readers& readers,
              unsigned step, const Stretch& stretch, bool wide);
  // Prefetches the bytes of a step, from far: before the step ahead of it; from near: at its start,
  // so that it waits for all of them together.
  static void prefetch(const BlockLayout& layout, const Readers& readers, unsigned step,
                       std::size_t column);
  void add_step(const TensorCommand& command, const TensorStationary& stationary,
                const BlockLayout& layout, unsigned step, std::size_t columns);
  void add_wide(const TensorCommand& command, const TensorStationary& stationary, BlockTile tile,
                std::size_t offset, const BlockResult& result) const;
  void store(const TensorCommand& command, const BlockLayout& layout, const Stretch& stretch,
             PsumMemory* psum) const;
  float* accumulators(std::size_t pass, std::size_t lane) {
    return acc_.data() + (pass * padded_lanes() + lane) * kColumns;
  }
  const float* accumulators(std::size_t pass, std::size_t lane) const {
    return acc_.data() + (pass * padded_lanes() + lane) * kColumns;
  }
  std::size_t padded_lanes() const { return round_up(shape_.cols, kLanes); }

  TensorShape shape_;
  SbufView sbuf_;
  TensorKernels kernels_;
  Panel panel_;
  AlignedVector<float> acc_;  // [pass][lane][kColumns]
};

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/base/aligned_vector.h"
#include "systemc/engines/tensor/psum_memory.h"
#include "systemc/engines/tensor/tensor_kernel.h"
#include "systemc/engines/tensor/tensor_operands.h"
#include "systemc/engines/tensor/tensor_stationary.h"

namespace tern {

// The arithmetic of array A: chains of fused multiply-adds, dense and sparse.
class ChainArray {
 public:
  ChainArray(const TensorShape& shape, SbufView sbuf, const TensorKernels& kernels)
      : shape_(shape), sbuf_(sbuf), kernels_(kernels) {}

  // Fills `stationary` for its command; false if a sparse position is outside its pattern.
  bool load(TensorStationary* stationary) const;
  void multiply(const TensorCommand& command, const TensorStationary& stationary, PsumMemory* psum);

 private:
  struct Place {  // of one register tile in PSUM
    std::size_t lane, height, element, width;
  };
  bool load_tags(TensorStationary* stationary) const;
  void run_tile(const TensorCommand& command, TensorTile tile, const Place& place,
                PsumMemory* psum) const;

  TensorShape shape_;
  SbufView sbuf_;
  TensorKernels kernels_;
  AlignedVector<float> panel_;  // moving columns of one tile, widened: [k][kColumns]
};

}  // namespace tern

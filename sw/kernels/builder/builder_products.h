// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sw/kernels/builder/builder_gpsimd.h"
#include "sw/kernels/builder/tensor/array_state.h"
#include "sw/kernels/builder/tensor/products.h"

namespace tern::kernels {

// Products and transposes.
class ProductCalls : public GpsimdCalls {
 public:
  using GpsimdCalls::GpsimdCalls;

  // Tensor engine: psum[M, N] = or += stationary[K, M]^T x moving[K, N], in FP32 or BF16. Dense
  // operands are views of up to two dimensions; a stationary that is no run from a multiple of 8
  // bytes on loads one column a cycle instead of four. Operands in other modes than dense:
  // products.h. nc_matmul() runs FP32 operands in their four passes.
  void load_stationary(const TensorOperand& stationary, std::optional<ArrayTile> tile = {},
                       SourceLine where = SourceLine::here());
  void multiply_moving(const TileView& psum, const TensorOperand& moving, ProductOptions options,
                       SourceLine where = SourceLine::here());
  void nc_matmul(const TileView& psum, const TensorOperand& stationary, const TensorOperand& moving,
                 ProductOptions options = {}, SourceLine where = SourceLine::here());
  // K up to 512: x4 elements and their scales.
  void nc_matmul_mx(const TileView& psum, const TileView& stationary,
                    const TileView& stationary_scales, const TileView& moving,
                    const TileView& moving_scales, ProductOptions options = {},
                    SourceLine where = SourceLine::here());
  // Tensor engine: psum[M, K] = source[K, M]^T, bit for bit, read as a stationary; one-byte
  // elements end up two bytes apart. Vector engine: dst[F, P] = source[P, F], both at most 32, SBUF
  // or PSUM.
  void nc_transpose(const TileView& dst, const TileView& source, Engine engine = Engine::kTensor,
                    SourceLine where = SourceLine::here());

 protected:
  static void require_columns(const char* name, const TensorOperand& stationary,
                              const ArrayTile& tile, SourceLine where);
  std::vector<HazardMap::Access> accesses_of(const TensorOperand& operand) const;

  ArrayState array_;
};

}  // namespace tern::kernels

// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/tensor/products.h"

namespace tern::kernels {

TensorOperand fp32_half(const TileView& view, Half half) {
  TensorOperand operand = view;
  operand.half = half;
  return operand;
}

TensorOperand double_row(const TileView& planes) {
  TensorOperand operand = planes;
  operand.mode = TensorMode::kDoubleRow;
  return operand;
}

TensorOperand sparse_stationary(const TileView& kept, const TileView& tags, Sparsity sparsity) {
  TensorOperand operand = sparse_moving(kept, sparsity);
  operand.aux = tags;
  return operand;
}

TensorOperand sparse_moving(const TileView& planes, Sparsity sparsity) {
  TensorOperand operand = planes;
  operand.mode = TensorMode::kSparse;
  operand.sparsity = sparsity;
  return operand;
}

TensorOperand mx(const TileView& data, const TileView& scales, unsigned offset) {
  TensorOperand operand = data;
  operand.mode = TensorMode::kMx;
  operand.aux = scales;
  operand.scale_offset = offset;
  return operand;
}

TensorOperand quad(const TileView& data, const TileView& scales, unsigned offset) {
  TensorOperand operand = mx(data, scales, offset);
  operand.mode = TensorMode::kQuad;
  return operand;
}

}  // namespace tern::kernels

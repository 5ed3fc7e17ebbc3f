// SPDX-License-Identifier: Apache-2.0
// Backward pass of the operations of rows.cpp and elements.cpp. Rows are independent: R rows of C
// elements are processed slab by slab, values that are the same for a row are in a column.
#include "sw/layers/layers.h"
#include "sw/layers/shapes.h"

namespace tern::layers {

using kernels::Engine;

// With n the normal values and g = gradient * gamma: (g - mean(g) - n mean(g n)) * inverse.
Layers::NormGradient Layers::layer_norm_gradient(const Matrix& dst, const Matrix& gradient,
                                                 const Norm& norm, const Matrix& gamma,
                                                 const Matrix* residual, SourceLine where) {
  const std::uint32_t rows = gradient.rows, columns = gradient.columns;
  require_shape(dst, rows, columns, "gradient of the source", where);
  require_shape(norm.normal, rows, columns, "normal values", where);
  if (residual != nullptr) require_shape(*residual, rows, columns, "residual", where);
  NormGradient result;
  const Matrix product = make(rows, columns, DType::kFp32, where);
  combine(product, gradient, Alu::kMultiply, norm.normal, where);
  result.gamma = column_sums(product, where);
  result.beta = column_sums(gradient, where);

  const Matrix scaled = make(rows, columns, DType::kFp32, where);
  combine_rows(scaled, gradient, Alu::kMultiply, gamma, where);
  combine(product, scaled, Alu::kMultiply, norm.normal, where);
  const float minus_share = -1.0f / static_cast<float>(columns);
  for (unsigned s = 0; s < gradient.slabs(); ++s) {
    const unsigned here = gradient.slab_rows(s);
    const Matrix means = make(here, 2, DType::kFp32, where);
    const TileView mean = means.block(0, 0, 1), slope = means.block(0, 1, 1);  // both negative
    kb_.tensor_reduce(mean, Alu::kAdd, scaled.slab(s), false, 1, where);
    kb_.tensor_reduce(slope, Alu::kAdd, product.slab(s), false, 1, where);
    kb_.tensor_scalar(means.slab(0), means.slab(0), Alu::kMultiply, minus_share, Alu::kBypass, 0.0f,
                      {}, where);
    const TileView value = scaled.slab(s), inverse = norm.inverse.slab(s);
    kb_.scalar_tensor_tensor(value, norm.normal.slab(s), Alu::kMultiply, slope, Alu::kAdd, value,
                             false, false, where);
    if (residual == nullptr) {
      kb_.tensor_scalar(dst.slab(s), value, Alu::kAdd, mean, Alu::kMultiply, inverse, {}, where);
    } else {
      kb_.tensor_scalar(value, value, Alu::kAdd, mean, Alu::kBypass, 0.0f, {}, where);
      kb_.scalar_tensor_tensor(dst.slab(s), value, Alu::kMultiply, inverse, Alu::kAdd,
                               residual->slab(s), false, false, where);
    }
  }
  return result;
}

// (gradient - sum(gradient * result)) * result.
void Layers::softmax_gradient(const Matrix& dst, const Matrix& gradient, const Matrix& result,
                              SourceLine where) {
  require_shape(dst, result.rows, result.columns, "gradient of the source", where);
  require_shape(gradient, result.rows, result.columns, "gradient of the softmax", where);
  for (unsigned s = 0; s < result.slabs(); ++s) {
    const unsigned rows = result.slab_rows(s);
    const Matrix product = make(rows, result.columns, DType::kFp32, where);
    const Matrix minus_sum = make(rows, 1, DType::kFp32, where);
    kb_.tensor_tensor(product.slab(0), gradient.slab(s), Alu::kMultiply, result.slab(s),
                      Engine::kVector, where);
    kb_.tensor_reduce(minus_sum.slab(0), Alu::kAdd, product.slab(0), true, 1, where);
    kb_.scalar_tensor_tensor(dst.slab(s), gradient.slab(s), Alu::kAdd, minus_sum.slab(0),
                             Alu::kMultiply, result.slab(s), false, false, where);
  }
}

void Layers::gelu_gradient(const Matrix& dst, const Matrix& gradient, const Matrix& src,
                           SourceLine where) {
  const Matrix slope = make(src.rows, src.columns, DType::kFp32, where);
  activate(slope, Activation::kGeluDx, src, 1.0f, where);
  combine(dst, gradient, Alu::kMultiply, slope, where);
}

}  // namespace tern::layers

// SPDX-License-Identifier: Apache-2.0
// Operations element by element, and the conversion to MX operands.
#include <algorithm>
#include <vector>

#include "sw/kernels/builder/memory/limits.h"
#include "sw/layers/layers.h"
#include "sw/layers/memory.h"
#include "sw/layers/shapes.h"

namespace tern::layers {

using kernels::Engine;
using kernels::ScalarOperand;

namespace {

constexpr std::uint32_t kGroup = 4 * Matrix::kSlab;  // rows of one MX product
constexpr unsigned kQuadrant = 32;

// A factor that is the same on all partitions, for as many partitions as a piece has.
ScalarOperand on_rows(const ScalarOperand& scalar, unsigned partitions) {
  return scalar.column ? ScalarOperand(scalar.column->rows(0, partitions)) : scalar;
}

}  // namespace

Layers::Layers(KernelBuilder& kb, const ChipConfig& chip)
    : kb_(kb),
      has_exponential_(chip.core.vector.exp_per_cycle != 0),
      memory_(std::make_shared<Memory>(kb)),
      banks_(kb.psum_pool("sums", kernels::kPsumBanks)) {}

void Layers::convert(const Matrix& dst, const Matrix& src, SourceLine where) {
  require_shape(dst, src.rows, src.columns, "converted matrix", where);
  const auto to = dst.pieces(), from = src.pieces();
  for (std::size_t i = 0; i < to.size(); ++i)
    kb_.tensor_copy(to[i], from[i], Engine::kVector, where);
}

Matrix Layers::convert(DType dtype, const Matrix& src, SourceLine where) {
  const Matrix result = make(src.rows, src.columns, dtype, where);
  convert(result, src, where);
  return result;
}

void Layers::combine(const Matrix& dst, const Matrix& a, Alu op, const Matrix& b,
                     SourceLine where) {
  require_shape(dst, a.rows, a.columns, "result", where);
  require_shape(b, a.rows, a.columns, "second operand", where);
  const auto to = dst.pieces(), left = a.pieces(), right = b.pieces();
  for (std::size_t i = 0; i < to.size(); ++i)
    kb_.tensor_tensor(to[i], left[i], op, right[i], Engine::kVector, where);
}

void Layers::combine_rows(const Matrix& dst, const Matrix& a, Alu op, const Matrix& b,
                          SourceLine where) {
  require_shape(dst, a.rows, a.columns, "result", where);
  require_shape(b, Matrix::kSlab, a.columns, "row", where);
  const auto to = dst.pieces(), left = a.pieces(), right = b.pieces_for(a.rows);
  for (std::size_t i = 0; i < to.size(); ++i)
    kb_.tensor_tensor(to[i], left[i], op, right[i], Engine::kVector, where);
}

void Layers::scale(const Matrix& dst, const Matrix& a, const ScalarOperand& factor,
                   SourceLine where) {
  require_shape(dst, a.rows, a.columns, "result", where);
  const auto to = dst.pieces(), from = a.pieces();
  for (std::size_t i = 0; i < to.size(); ++i) {
    kb_.tensor_scalar(to[i], from[i], Alu::kMultiply, on_rows(factor, to[i].partitions),
                      Alu::kBypass, 0.0f, {}, where);
  }
}

void Layers::scale_combine(const Matrix& dst, const Matrix& a, const ScalarOperand& factor, Alu op,
                           const Matrix& b, SourceLine where) {
  require_shape(dst, a.rows, a.columns, "result", where);
  require_shape(b, a.rows, a.columns, "second operand", where);
  const auto to = dst.pieces(), left = a.pieces(), right = b.pieces();
  for (std::size_t i = 0; i < to.size(); ++i) {
    kb_.scalar_tensor_tensor(to[i], left[i], Alu::kMultiply, on_rows(factor, to[i].partitions), op,
                             right[i], false, false, where);
  }
}

void Layers::shift(const Matrix& dst, const Matrix& a, float offset, SourceLine where) {
  require_shape(dst, a.rows, a.columns, "result", where);
  const auto to = dst.pieces(), from = a.pieces();
  for (std::size_t i = 0; i < to.size(); ++i)
    kb_.tensor_scalar(to[i], from[i], Alu::kAdd, offset, Alu::kBypass, 0.0f, {}, where);
}

void Layers::activate(const Matrix& dst, Activation function, const Matrix& src,
                      const ScalarOperand& factor, SourceLine where) {
  require_shape(dst, src.rows, src.columns, "result", where);
  const auto to = dst.pieces(), from = src.pieces();
  for (std::size_t i = 0; i < to.size(); ++i) {
    kernels::ActivationOptions options;
    options.scale = on_rows(factor, to[i].partitions);
    kb_.activation(to[i], function, from[i], options, where);
  }
}

void Layers::reciprocal(const Matrix& dst, const Matrix& src, SourceLine where) {
  require_shape(dst, src.rows, src.columns, "result", where);
  const auto to = dst.pieces(), from = src.pieces();
  for (std::size_t i = 0; i < to.size(); ++i) kb_.reciprocal(to[i], from[i], where);
}

void Layers::relu_gradient(const Matrix& dst, const Matrix& gradient, const Matrix& result,
                           SourceLine where) {
  require_shape(dst, gradient.rows, gradient.columns, "result", where);
  require_shape(result, gradient.rows, gradient.columns, "the rectifier's result", where);
  const auto to = dst.pieces(), from = gradient.pieces(), gate = result.pieces();
  for (std::size_t i = 0; i < to.size(); ++i) {
    kb_.scalar_tensor_tensor(to[i], gate[i], Alu::kIsGt, 0.0f, Alu::kMultiply, from[i], false,
                             false, where);
  }
}

MxMatrix Layers::quantize(const Matrix& src, DType dtype, MxRule rule, SourceLine where) {
  require(src.partition_ == 0, where, "quantize: expected rows from partition 0 on");
  const std::uint32_t whole = src.rows / kGroup, rest = src.rows % kGroup;
  const std::uint32_t last =
      (std::min(rest, Matrix::kSlab) + kQuadrant - 1) / kQuadrant * kQuadrant;
  MxMatrix result;
  result.rows = src.rows;
  result.columns = src.columns;
  result.elements = make(whole * Matrix::kSlab + last, src.columns, dtype, where);
  result.scales = make(result.elements.rows, src.columns, DType::kE8m0, where);
  const auto pitch = static_cast<std::int32_t>(src.pitch_);
  for (unsigned g = 0; g < result.groups(); ++g) {
    TileView from = src.slab(4 * g).dims({{src.columns, 1}, {4, pitch}});
    Matrix filled_up;
    if (g == whole) {
      filled_up = filled(kGroup, src.columns, src.dtype, 0.0f, where);
      const Matrix left = src.part_rows(g * kGroup, rest, where);
      convert(filled_up.part_rows(0, rest), left, where);
      from = filled_up.slab(0).dims(
          {{src.columns, 1}, {4, static_cast<std::int32_t>(filled_up.pitch_)}});
      from.partitions = last;
    }
    kb_.quantize_mx(result.elements.slab(g), result.scales.slab(g), from, rule, 0, where);
  }
  return result;
}

}  // namespace tern::layers

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/layers/matrix.h"

namespace tern::layers {

using kernels::Activation;
using kernels::Alu;
using kernels::KernelBuilder;
using kernels::MxRule;
using kernels::Tensor;

// Processing of a product when it leaves PSUM: function(scale * product + bias) + residual, rounded
// once to the format of the result. A bias by row and a residual together, or a function that is
// not the last step, pass through FP32.
struct Epilogue {
  float scale = 1.0f;
  const Matrix* bias_row = nullptr;     // [128, N] of equal rows, added to every row
  const Matrix* bias_column = nullptr;  // [M, 1] fp32, added to every column
  Activation function = Activation::kIdentity;
  const Matrix* residual = nullptr;  // [M, N]
};

// Operations on matrices that stay in SBUF, as instructions of a KernelBuilder. The destination
// comes first, as there, and may be a part of a matrix, or one of the sources if the operation
// works element by element. Errors name the caller's line.
class Layers {
 public:
  Layers(KernelBuilder& kb, const ChipConfig& chip);
  KernelBuilder& builder() { return kb_; }

  // Memory
  Matrix make(std::uint32_t rows, std::uint32_t columns, DType dtype,
              SourceLine where = SourceLine::here());
  Matrix filled(std::uint32_t rows, std::uint32_t columns, DType dtype, float value,
                SourceLine where = SourceLine::here());

  // HBM: rows [row, ..) and columns [first, ..) of a tensor of the matrix's format.
  void load(const Matrix& dst, const Tensor& src, std::uint64_t row = 0, std::uint64_t first = 0,
            SourceLine where = SourceLine::here());
  void store(const Tensor& dst, const Matrix& src, std::uint64_t row = 0, std::uint64_t first = 0,
             SourceLine where = SourceLine::here());
  Matrix load(const Tensor& src, SourceLine where = SourceLine::here());  // all of it
  // A row of the tensor on all 128 partitions: 128 equal rows.
  Matrix load_row(const Tensor& src, std::uint64_t row = 0, SourceLine where = SourceLine::here());
  // Elements [first, first + rows) of a row as a column [rows, 1].
  Matrix load_column(const Tensor& src, std::uint32_t rows, std::uint64_t row = 0,
                     std::uint64_t first = 0, SourceLine where = SourceLine::here());

  // An operation in place among ranks (KernelBuilder::collective), slab by slab; groups: of ranks,
  // none: all are one.
  void collective(const collectives::Schedule& schedule, const Matrix& matrix,
                  const std::vector<std::vector<unsigned>>& groups = {},
                  SourceLine where = SourceLine::here());

  // Tensor engine. dst [M, N] = epilogue(a^T b), a [K, M], b [K, N]: both bf16, both fp16, or both
  // fp32 (four passes).
  void product(const Matrix& dst, const Matrix& a, const Matrix& b, const Epilogue& epilogue = {},
               SourceLine where = SourceLine::here());
  Matrix product(DType dtype, const Matrix& a, const Matrix& b, const Epilogue& epilogue = {},
                 SourceLine where = SourceLine::here());
  void product(const Matrix& dst, const MxMatrix& a, const MxMatrix& b,
               const Epilogue& epilogue = {}, SourceLine where = SourceLine::here());
  // dst [C, R] = src [R, C]^T, bit for bit; fp32, bf16 or fp16.
  void transpose(const Matrix& dst, const Matrix& src, SourceLine where = SourceLine::here());
  Matrix transpose(const Matrix& src, SourceLine where = SourceLine::here());
  // Sums over the rows of src [R, C], bf16 or fp32, exact products with ones: 128 equal rows.
  Matrix column_sums(const Matrix& src, SourceLine where = SourceLine::here());

  // MX operands of src [K, columns], bf16 or fp16: e4m3fn_x4 or e5m2_x4.
  MxMatrix quantize(const Matrix& src, DType dtype = DType::kE4m3FnX4, MxRule rule = MxRule::kAws,
                    SourceLine where = SourceLine::here());

  // Element by element, each sum or product rounded to FP32 once, then to the format of dst.
  void convert(const Matrix& dst, const Matrix& src, SourceLine where = SourceLine::here());
  Matrix convert(DType dtype, const Matrix& src, SourceLine where = SourceLine::here());
  // op: add, subtract, multiply, max, min.
  void combine(const Matrix& dst, const Matrix& a, Alu op, const Matrix& b,
               SourceLine where = SourceLine::here());
  // b: 128 equal rows.
  void combine_rows(const Matrix& dst, const Matrix& a, Alu op, const Matrix& b,
                    SourceLine where = SourceLine::here());
  // dst = a * factor, or (a * factor) op b; the factor a number or a column [128, 1] fp32 of equal
  // values.
  void scale(const Matrix& dst, const Matrix& a, const kernels::ScalarOperand& factor,
             SourceLine where = SourceLine::here());
  void scale_combine(const Matrix& dst, const Matrix& a, const kernels::ScalarOperand& factor,
                     Alu op, const Matrix& b, SourceLine where = SourceLine::here());
  // dst = a + offset.
  void shift(const Matrix& dst, const Matrix& a, float offset,
             SourceLine where = SourceLine::here());
  // dst = function(factor * src).
  void activate(const Matrix& dst, Activation function, const Matrix& src,
                const kernels::ScalarOperand& factor = 1.0f, SourceLine where = SourceLine::here());
  // dst = 1 / src, correctly rounded.
  void reciprocal(const Matrix& dst, const Matrix& src, SourceLine where = SourceLine::here());
  // dst = gradient where the rectifier's result is positive, otherwise 0.
  void relu_gradient(const Matrix& dst, const Matrix& gradient, const Matrix& result,
                     SourceLine where = SourceLine::here());

  // Row by row. dst = softmax(src).
  void softmax(const Matrix& dst, const Matrix& src, SourceLine where = SourceLine::here());
  // dst = (src - mean) / sqrt(variance + epsilon) * gamma + beta, of 128 equal rows each, or
  // without.
  void layer_norm(const Matrix& dst, const Matrix& src, const Matrix* gamma, const Matrix* beta,
                  float epsilon, SourceLine where = SourceLine::here());

  // The same with gain and offset, and inputs of its gradient: normal = (src - mean) / sqrt(..),
  // [R, C] fp32, and inverse = 1 / sqrt(..), [R, 1] fp32.
  struct Norm {
    Matrix normal, inverse;
  };
  Norm layer_norm_kept(const Matrix& dst, const Matrix& src, const Matrix& gamma,
                       const Matrix& beta, float epsilon, SourceLine where = SourceLine::here());

  // Gradients, backward through an operation: `gradient` is that of its result, dst of its source.
  // Of the norm: plus `residual`, if given; and those of gain and offset, 128 equal rows.
  struct NormGradient {
    Matrix gamma, beta;
  };
  NormGradient layer_norm_gradient(const Matrix& dst, const Matrix& gradient, const Norm& norm,
                                   const Matrix& gamma, const Matrix* residual = nullptr,
                                   SourceLine where = SourceLine::here());
  // result: the result of softmax().
  void softmax_gradient(const Matrix& dst, const Matrix& gradient, const Matrix& result,
                        SourceLine where = SourceLine::here());
  // src: the source of gelu, the exact one.
  void gelu_gradient(const Matrix& dst, const Matrix& gradient, const Matrix& src,
                     SourceLine where = SourceLine::here());

  // dst [R, C] = 1 in the column that each of the labels [R, 1] int32 names, otherwise 0.
  void one_hot(const Matrix& dst, const Matrix& labels, SourceLine where = SourceLine::here());
  // Logits [R, C] fp32 against labels [R, 1] int32.
  struct CrossEntropy {
    Matrix loss;      // [R, 1] fp32
    Matrix correct;   // [R, 1] fp32: 1 where no logit is larger than the label's, otherwise 0
    Matrix gradient;  // [R, C]: gradient_scale * (softmax - one-hot)
  };
  CrossEntropy cross_entropy(const Matrix& logits, const Matrix& labels, float gradient_scale,
                             DType gradient_dtype, SourceLine where = SourceLine::here());
  // The same without the gradient.
  Matrix correct(const Matrix& logits, const Matrix& labels, SourceLine where = SourceLine::here());

 private:
  class Memory;
  struct Exponentials;
  struct Target;
  struct Moments;

  template <typename Operand>
  void multiply(const Matrix& dst, const Operand& a, const Operand& b, const Epilogue& epilogue,
                SourceLine where);
  void evict(const Matrix& result, const TileView& sum, const Epilogue& epilogue, unsigned slab,
             std::uint32_t first, SourceLine where);
  Exponentials exponentials(const TileView& src, SourceLine where);
  Moments moments_of(const Matrix& src, unsigned slab, float epsilon, SourceLine where);
  void one_hot(const TileView& dst, const TileView& label, SourceLine where);
  Target pick_target(const TileView& logits, const TileView& label, SourceLine where);

  KernelBuilder& kb_;
  const bool has_exponential_;
  std::shared_ptr<Memory> memory_;
  kernels::TilePool banks_;
  unsigned evictions_ = 0;
  std::optional<Matrix> ones_bf16_, ones_fp32_, numbers_;
};

}  // namespace tern::layers

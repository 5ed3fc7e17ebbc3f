// SPDX-License-Identifier: Apache-2.0
// Operations row by row: softmax, layer norm, cross-entropy.
#include "sw/kernels/catalogue/blocks.h"
#include "sw/layers/layers.h"
#include "sw/layers/shapes.h"

namespace tern::layers {

using kernels::Engine;
using kernels::for_blocks;

namespace {

constexpr std::uint32_t kGroup = 512;    // elements of one bn_stats
constexpr std::uint32_t kGroupSize = 6;  // size of its output

}  // namespace

// A row's maximum, next to it its exponentials and their sum.
struct Layers::Exponentials {
  Matrix max, values, sum;
};

Layers::Exponentials Layers::exponentials(const TileView& src, SourceLine where) {
  const auto column = [&] { return make(src.partitions, 1, DType::kFp32, where); };
  Exponentials e{column(), make(src.partitions, src.num0, DType::kFp32, where), column()};
  kb_.tensor_reduce(e.max.slab(0), Alu::kMax, src, false, 1, where);
  if (has_exponential_) {
    kb_.exponential(e.values.slab(0), src, e.max.slab(0), kernels::Reduce{Alu::kAdd, e.sum.slab(0)},
                    where);
    return e;
  }
  const Matrix negated = column();
  kb_.tensor_scalar(negated.slab(0), e.max.slab(0), Alu::kMultiply, -1.0f, Alu::kBypass, 0.0f, {},
                    where);
  kernels::ActivationOptions options;
  options.bias = negated.slab(0);
  kb_.activation_reduce(e.values.slab(0), Activation::kExp, src, Alu::kAdd, e.sum.slab(0), options,
                        where);
  return e;
}

void Layers::softmax(const Matrix& dst, const Matrix& src, SourceLine where) {
  require_shape(dst, src.rows, src.columns, "softmax", where);
  for (unsigned s = 0; s < src.slabs(); ++s) {
    const Exponentials e = exponentials(src.slab(s), where);
    kb_.reciprocal(e.sum.slab(0), e.sum.slab(0), where);
    kb_.tensor_scalar(dst.slab(s), e.values.slab(0), Alu::kMultiply, e.sum.slab(0), Alu::kBypass,
                      0.0f, {}, where);
  }
}

// Of each row: the mean next to the variance, 1 / sqrt(variance + epsilon).
struct Layers::Moments {
  Matrix both, inverse;
  TileView mean() const { return both.block(0, 0, 1); }
};

Layers::Moments Layers::moments_of(const Matrix& src, unsigned slab, float epsilon,
                                   SourceLine where) {
  const auto groups = static_cast<std::uint32_t>(kernels::blocks_of(src.columns, kGroup));
  const unsigned rows = src.slab_rows(slab);
  const Matrix statistics = make(rows, kGroupSize * groups, DType::kFp32, where);
  const Moments result{make(rows, 2, DType::kFp32, where), make(rows, 1, DType::kFp32, where)};
  for_blocks(src.columns, kGroup, [&](std::uint64_t first, std::uint32_t count) {
    const auto at = static_cast<std::uint32_t>(first);
    kb_.bn_stats(statistics.block(0, at / kGroup * kGroupSize, kGroupSize),
                 src.block(slab, at, count), where);
  });
  kb_.bn_aggr(result.both.slab(0), statistics.slab(0), where);
  kb_.activation(result.inverse.slab(0), Activation::kRsqrt, result.both.block(0, 1, 1), 1.0f,
                 epsilon, where);
  return result;
}

void Layers::layer_norm(const Matrix& dst, const Matrix& src, const Matrix* gamma,
                        const Matrix* beta, float epsilon, SourceLine where) {
  require_shape(dst, src.rows, src.columns, "layer norm", where);
  for (const Matrix* row : {gamma, beta}) {
    if (row != nullptr) require_shape(*row, Matrix::kSlab, src.columns, "gain or offset", where);
  }
  for (unsigned s = 0; s < src.slabs(); ++s) {
    const unsigned rows = src.slab_rows(s);
    const Moments moments = moments_of(src, s, epsilon, where);
    const TileView mean = moments.mean(), inverse = moments.inverse.slab(0);
    const Matrix centred = make(rows, src.columns, DType::kFp32, where);
    if (gamma != nullptr) {
      kb_.scalar_tensor_tensor(centred.slab(0), src.slab(s), Alu::kSubtract, mean, Alu::kMultiply,
                               gamma->slab(0).rows(0, rows), false, false, where);
    } else {
      kb_.tensor_scalar(centred.slab(0), src.slab(s), Alu::kSubtract, mean, Alu::kBypass, 0.0f, {},
                        where);
    }
    if (beta != nullptr) {
      kb_.scalar_tensor_tensor(dst.slab(s), centred.slab(0), Alu::kMultiply, inverse, Alu::kAdd,
                               beta->slab(0).rows(0, rows), false, false, where);
    } else {
      kb_.tensor_scalar(dst.slab(s), centred.slab(0), Alu::kMultiply, inverse, Alu::kBypass, 0.0f,
                        {}, where);
    }
  }
}

Layers::Norm Layers::layer_norm_kept(const Matrix& dst, const Matrix& src, const Matrix& gamma,
                                     const Matrix& beta, float epsilon, SourceLine where) {
  require_shape(dst, src.rows, src.columns, "layer norm", where);
  Norm norm{make(src.rows, src.columns, DType::kFp32, where),
            make(src.rows, 1, DType::kFp32, where)};
  for (unsigned s = 0; s < src.slabs(); ++s) {
    const Moments moments = moments_of(src, s, epsilon, where);
    kb_.tensor_copy(norm.inverse.slab(s), moments.inverse.slab(0), Engine::kVector, where);
    kb_.tensor_scalar(norm.normal.slab(s), src.slab(s), Alu::kSubtract, moments.mean(),
                      Alu::kMultiply, moments.inverse.slab(0), {}, where);
  }
  const Matrix scaled = make(src.rows, src.columns, DType::kFp32, where);
  combine_rows(scaled, norm.normal, Alu::kMultiply, gamma, where);
  combine_rows(dst, scaled, Alu::kAdd, beta, where);
  return norm;
}

// The one-hot row of each label, and the logit that it selects.
struct Layers::Target {
  Matrix one_hot, logit;
};

void Layers::one_hot(const TileView& dst, const TileView& label, SourceLine where) {
  const std::uint32_t classes = dst.num0;
  if (!numbers_ || numbers_->columns < classes) {
    numbers_ = make(Matrix::kSlab, classes, DType::kFp32, where);
    kb_.iota(numbers_->slab(0), {}, where);
  }
  const Matrix wanted = make(dst.partitions, 1, DType::kFp32, where);
  kb_.tensor_copy(wanted.slab(0), label, Engine::kVector, where);
  kb_.tensor_scalar(dst, numbers_->block(0, 0, classes).rows(0, dst.partitions), Alu::kIsEq,
                    wanted.slab(0), Alu::kBypass, 0.0f, {}, where);
}

void Layers::one_hot(const Matrix& dst, const Matrix& labels, SourceLine where) {
  require_shape(labels, dst.rows, 1, "labels", where);
  for (unsigned s = 0; s < dst.slabs(); ++s) one_hot(dst.slab(s), labels.slab(s), where);
}

Layers::Target Layers::pick_target(const TileView& logits, const TileView& label,
                                   SourceLine where) {
  const unsigned rows = logits.partitions;
  const std::uint32_t classes = logits.num0;
  Target target{make(rows, classes, DType::kFp32, where), make(rows, 1, DType::kFp32, where)};
  const Matrix picked = make(rows, classes, DType::kFp32, where);
  one_hot(target.one_hot.slab(0), label, where);
  kb_.tensor_tensor(picked.slab(0), logits, Alu::kMultiply, target.one_hot.slab(0), Engine::kVector,
                    where);
  kb_.tensor_reduce(target.logit.slab(0), Alu::kAdd, picked.slab(0), false, 1, where);
  return target;
}

Layers::CrossEntropy Layers::cross_entropy(const Matrix& logits, const Matrix& labels,
                                           float gradient_scale, DType gradient_dtype,
                                           SourceLine where) {
  require_shape(labels, logits.rows, 1, "labels", where);
  CrossEntropy result{make(logits.rows, 1, DType::kFp32, where),
                      make(logits.rows, 1, DType::kFp32, where),
                      make(logits.rows, logits.columns, gradient_dtype, where)};
  for (unsigned s = 0; s < logits.slabs(); ++s) {
    const Exponentials e = exponentials(logits.slab(s), where);
    const Target target = pick_target(logits.slab(s), labels.slab(s), where);
    const TileView max = e.max.slab(0), sum = e.sum.slab(0), wanted = target.logit.slab(0),
                   values = e.values.slab(0);
    kb_.tensor_tensor(result.correct.slab(s), wanted, Alu::kIsGe, max, Engine::kVector, where);
    // The maximum minus the logit first: both may be large compared with the logarithm.
    const Matrix log_sum = make(sum.partitions, 1, DType::kFp32, where);
    kb_.activation(log_sum.slab(0), Activation::kLog, sum, 1.0f, 0.0f, where);
    kb_.tensor_tensor(wanted, wanted, Alu::kSubtract, max, Engine::kVector, where);
    kb_.tensor_tensor(result.loss.slab(s), log_sum.slab(0), Alu::kSubtract, wanted, Engine::kVector,
                      where);
    kb_.reciprocal(sum, sum, where);
    kb_.scalar_tensor_tensor(values, values, Alu::kMultiply, sum, Alu::kSubtract,
                             target.one_hot.slab(0), false, false, where);
    kb_.tensor_scalar(result.gradient.slab(s), values, Alu::kMultiply, gradient_scale, Alu::kBypass,
                      0.0f, {}, where);
  }
  return result;
}

Matrix Layers::correct(const Matrix& logits, const Matrix& labels, SourceLine where) {
  require_shape(labels, logits.rows, 1, "labels", where);
  const Matrix result = make(logits.rows, 1, DType::kFp32, where);
  for (unsigned s = 0; s < logits.slabs(); ++s) {
    const Target target = pick_target(logits.slab(s), labels.slab(s), where);
    const Matrix max = make(logits.slab_rows(s), 1, DType::kFp32, where);
    kb_.tensor_reduce(max.slab(0), Alu::kMax, logits.slab(s), false, 1, where);
    kb_.tensor_tensor(result.slab(s), target.logit.slab(0), Alu::kIsGe, max.slab(0),
                      Engine::kVector, where);
  }
  return result;
}

}  // namespace tern::layers

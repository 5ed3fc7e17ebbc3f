// SPDX-License-Identifier: Apache-2.0
// The weights, and the forward pass.
#include "sw/train/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "sw/train/tensor_part.h"

namespace tern::train {

using layers::Activation;
using layers::Alu;
using layers::Epilogue;
using layers::TileView;

namespace {

constexpr std::uint32_t kSlab = Matrix::kSlab;
constexpr float kMasked = -30000;  // added to a score: its exponential is 0

// Those of a rank.
std::vector<StateTensor> parameters_of(const TransformerSpec& spec, const Share& share) {
  std::vector<StateTensor> all = transformer_parameters(spec);
  for (StateTensor& tensor : all) tensor = part_of(tensor, transformer_part(tensor, spec, share));
  return all;
}

}  // namespace

Transformer::Transformer(Layers& layers, const TransformerSpec& spec, std::uint32_t batch,
                         const Share& share, WindowParts& windows, ExpertExchange& experts,
                         Network::Observer observe)
    : l_(layers),
      spec_(spec),
      share_(share),
      heads_(spec.heads / share.tensor),
      inner_(spec.width / share.tensor),
      hidden_(spec.hidden / share.tensor),
      window_(spec.context / share.sequence),
      tokens_(batch * window_),
      parameters_(std::make_shared<Parameters>(layers, spec.operand(), parameters_of(spec, share),
                                               std::move(observe))),
      score_scale_(static_cast<float>(1 / std::sqrt(static_cast<double>(spec.head())))),
      first_block_(first_block_of(spec, share, share.stage())),
      windows_(windows) {
  if (share_.first_stage()) {
    embedding_ = parameters_->load("embedding");
    table_ = parameters_->as_operand(embedding_->matrix.value());
  }
  if (share_.last_stage()) {
    norm_ = norm("norm");
    logits_ = Dense(parameters_, "logits");
  }
  for (std::uint32_t i = first_block_; i < first_block_of(spec, share, share.stage() + 1); ++i) {
    blocks_.push_back(block(fmt::format("b{}.", i), experts));
  }
  make_masks();
  if (share_.first_stage()) make_positions();
}

Transformer::Norm Transformer::norm(const std::string& name) {
  return {name, parameters_->load(name + ".gain"), parameters_->load(name + ".offset"), {}};
}

Transformer::Block Transformer::block(const std::string& name, ExpertExchange& experts) {
  Block block{norm(name + "norm1"),
              Dense(parameters_, name + "qkv"),
              Dense(parameters_, name + "out"),
              norm(name + "norm2"),
              {},
              {},
              {},
              Matrix{},
              {},
              {},
              Matrix{}};
  if (spec_.experts == 1) {
    block.up.emplace(parameters_, name + "up");
    block.down.emplace(parameters_, name + "down");
  } else {
    block.experts.emplace(parameters_, spec_, experts, name);
  }
  return block;
}

// Row p attends to column j if both belong to one window and j is not later: in front of p, or in a
// part of the window before.
void Transformer::make_masks() {
  const auto window = static_cast<std::int32_t>(window_);
  const auto no_window_before = [&](const Matrix& mask) {
    const TileView windows = mask.slab(0).split(window_);
    l_.builder().affine_select(windows, windows, {-window, 1, {-window, 0}}, Alu::kIsLt, kMasked);
  };
  mask_ = l_.filled(kSlab, kSlab, DType::kFp32, 0.0f);
  const TileView all = mask_.slab(0);
  l_.builder().affine_select(all, all, {0, 1, {-1}}, Alu::kIsGe, kMasked);
  if (window_ == kSlab) return;
  no_window_before(mask_);
  if (share_.window_part() == 0) return;
  mask_before_ = l_.filled(kSlab, kSlab, DType::kFp32, 0.0f);
  const TileView windows = mask_before_->slab(0).split(window_);
  l_.builder().affine_select(windows, windows, {0, 1, {-window, 0}}, Alu::kIsGe, kMasked);
  no_window_before(*mask_before_);
}

// The identity, with its windows' columns superimposed.
void Transformer::make_positions() {
  const Matrix identity = l_.filled(kSlab, kSlab, DType::kFp32, 1.0f);
  const TileView all = identity.slab(0);
  l_.builder().affine_select(all, all, {0, 1, {-1}}, Alu::kIsEq, 0.0f);
  positions_ = identity;
  if (window_ == kSlab) return;
  positions_ = l_.make(kSlab, window_, DType::kFp32);
  l_.builder().tensor_reduce(positions_.slab(0), Alu::kMax, all.split(window_).transposed());
}

Matrix Transformer::hot_rows(const Matrix& characters) {
  const std::uint32_t columns = spec_.alphabet + spec_.context;
  // Of the other parts of the windows no position.
  Matrix rows = share_.sequence == 1 ? make(columns, spec_.operand())
                                     : l_.filled(tokens_, columns, spec_.operand(), 0.0f);
  l_.one_hot(rows.part_columns(0, spec_.alphabet), characters);
  const std::uint32_t first = spec_.alphabet + share_.window_part() * window_;
  for (unsigned s = 0; s < slabs(); ++s) {
    const Matrix part = slab_of(rows, s).part_columns(first, window_);
    l_.convert(part, positions_.part_rows(0, part.rows));
  }
  return rows;
}

Matrix Transformer::slab_of(const Matrix& matrix, unsigned slab) const {
  return matrix.part_rows(slab * kSlab, std::min(kSlab, tokens_ - slab * kSlab));
}

Matrix Transformer::part_of_head(const Matrix& matrices, unsigned which, unsigned head) const {
  return matrices.part_columns(which * inner_ + head * spec_.head(), spec_.head());
}

Matrix Transformer::part_of_windows(const Matrix& matrix, unsigned part) {
  return matrix.part_columns(part * matrix.rows, matrix.rows);
}

void Transformer::product_over_parts(const Matrix& dst, const std::vector<Matrix>& a,
                                     const std::vector<Matrix>& b, Epilogue epilogue) {
  Matrix sum;
  for (std::size_t part = 0; part < a.size(); ++part) {
    const bool last = part + 1 == a.size();
    const Matrix to = last ? dst : l_.make(dst.rows, dst.columns, DType::kFp32);
    l_.product(to, a[part], b[part], epilogue);
    sum = to;
    epilogue.residual = &sum;
  }
}

Matrix Transformer::embed(const Matrix& characters) {
  l_.builder().part("embedding");
  hot_ = hot_rows(characters);
  Matrix x = l_.product(DType::kFp32, l_.transpose(hot_), table_);
  observe("embedded characters", x);
  return x;
}

Matrix Transformer::forward(const Matrix& in) {
  Matrix x = embedding_ ? embed(in) : in;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    l_.builder().part(fmt::format("block {}", first_block_ + i));
    x = forward(blocks_[i], x);
    observe(fmt::format("result of block {}", first_block_ + i), x);
  }
  if (!logits_) return x;
  l_.builder().part("logits");
  return logits_->forward(forward(*norm_, x), DType::kFp32);
}

// Bias and residual once, when the sum is complete.
Matrix Transformer::forward_divided(Dense& layer, const Matrix& in, const Matrix& residual) {
  if (share_.tensor == 1) return layer.forward(in, DType::kFp32, &residual);
  Matrix out = layer.forward_part(in);
  sum_over_ranks(out);
  l_.combine_rows(out, out, Alu::kAdd, layer.bias());
  l_.combine(out, out, Alu::kAdd, residual);
  observe("result of " + layer.name(), out);
  return out;
}

void Transformer::sum_over_ranks(const Matrix& matrix) {
  if (share_.tensor == 1 || !share_.sums()) return;
  l_.collective(*share_.activations, matrix, share_.along_tensor());
}

Matrix Transformer::forward(Norm& layer, const Matrix& in) {
  Matrix out = make(in.columns, spec_.operand());
  layer.kept = l_.layer_norm_kept(out, in, layer.gain.matrix.value(), layer.offset.matrix.value(),
                                  kNormEpsilon);
  observe("result of " + layer.name, out);
  return out;
}

Matrix Transformer::forward(Block& block, const Matrix& x) {
  block.values = block.qkv.forward(forward(block.norm1, x), spec_.operand());
  block.attended = windows_.gather(block.values.part_columns(inner_, 2 * inner_));
  const Matrix y = forward_divided(block.out, attention(block), x);
  const Matrix in = forward(block.norm2, y);
  return block.experts ? block.experts->forward(in, y) : gelu_layer(block, in, y);
}

Matrix Transformer::gelu_layer(Block& block, const Matrix& in, const Matrix& residual) {
  block.sums = block.up->forward(in, DType::kFp32);
  const Matrix hidden = make(hidden_, spec_.operand());
  l_.activate(hidden, Activation::kGelu, block.sums);
  return forward_divided(*block.down, hidden, residual);
}

// Step by step for all heads and slabs, so that no engine waits for one of them.
Matrix Transformer::attention(Block& block) {
  const auto parts = static_cast<unsigned>(block.attended.size());
  Epilogue scores;
  scores.scale = score_scale_;
  block.probabilities.clear();
  for (unsigned h = 0; h < heads_; ++h) {
    const Matrix queries = l_.transpose(part_of_head(block.values, 0, h));
    std::vector<Matrix> keys;
    for (const Matrix& part : block.attended)
      keys.push_back(l_.transpose(part_of_head(part, 0, h)));
    for (unsigned s = 0; s < slabs(); ++s) {
      const std::uint32_t rows = slab_of(block.values, s).rows;
      const Matrix all = l_.make(rows, parts * rows, DType::kFp32);
      for (unsigned p = 0; p < parts; ++p) {
        const bool own = p + 1 == parts;
        Matrix mask;
        if (own || mask_before_)
          mask = (own ? mask_ : *mask_before_).part_rows(0, rows).part_columns(0, rows);
        scores.residual = own || mask_before_ ? &mask : nullptr;
        l_.product(part_of_windows(all, p), queries.part_columns(s * kSlab, rows),
                   keys[p].part_columns(s * kSlab, rows), scores);
      }
      block.probabilities.push_back(all);
    }
  }
  for (Matrix& matrix : block.probabilities) {
    const Matrix probabilities = l_.make(matrix.rows, matrix.columns, spec_.operand());
    l_.softmax(probabilities, matrix);
    matrix = probabilities;
    observe("attention", probabilities);
  }
  std::vector<std::vector<Matrix>> weights;  // as stationary operands
  for (const Matrix& matrix : block.probabilities) {
    weights.emplace_back();
    for (unsigned p = 0; p < parts; ++p)
      weights.back().push_back(l_.transpose(part_of_windows(matrix, p)));
  }
  Matrix result = make(inner_, spec_.operand());
  for (unsigned h = 0; h < heads_; ++h) {
    const Matrix heads = part_of_head(result, 0, h);
    for (unsigned s = 0; s < slabs(); ++s) {
      std::vector<Matrix> values;
      for (const Matrix& part : block.attended)
        values.push_back(slab_of(part_of_head(part, 1, h), s));
      product_over_parts(slab_of(heads, s), weights[h * slabs() + s], values);
    }
  }
  return result;
}

}  // namespace tern::train

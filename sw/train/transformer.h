// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/train/experts.h"
#include "sw/train/parameters.h"
#include "sw/train/transformer_training.h"
#include "sw/train/window_parts.h"

namespace tern::train {

// The transformer on the chip: its weights in SBUF, the forward pass, which keeps the inputs of the
// backward pass, and the backward pass. Characters are on partitions; a slab holds whole windows.
// A copy has the same weights, and keeps inputs of its own: of another micro-batch.
class Transformer {
 public:
  // `batch` windows; `observe` is called with every matrix by name. Of a model that ranks divide,
  // the part of the share's rank: some of the blocks, and of each some heads and some columns of
  // its gelu layer, or some experts. The first stage has the embedding, the last one norm and
  // logits. `windows` and `experts` must outlive it and its copies, which share them.
  Transformer(Layers& layers, const TransformerSpec& spec, std::uint32_t batch, const Share& share,
              WindowParts& windows, ExpertExchange& experts, Network::Observer observe);

  // characters [tokens, 1] int32, or of a later stage what the one before gives, [tokens, width] in
  // FP32; logits [tokens, alphabet], or such a result, in FP32.
  Matrix forward(const Matrix& in);
  // From the gradient of the logits, in the operand format, or of the stage's result, in FP32.
  // `update` gets every parameter with its gradient when no later operation needs the parameter.
  // The gradient in front of the stage's blocks, in FP32.
  Matrix backward(const Matrix& gradient, const Update& update);

 private:
  struct Norm {
    std::string name;
    Parameter gain, offset;
    Layers::Norm kept;
  };
  struct Block {
    Norm norm1;
    Dense qkv, out;
    Norm norm2;
    std::optional<Dense> up, down;  // or
    std::optional<Experts> experts;
    Matrix values;  // queries, keys, values of all heads [tokens, 3 width]
    // Keys and values [tokens, 2 width] of the windows' parts up to this one.
    std::vector<Matrix> attended;
    // Of each head and slab: [characters, those they attend to], part by part.
    std::vector<Matrix> probabilities;
    Matrix sums;  // before gelu
  };

  Norm norm(const std::string& name);
  void make_masks();
  void make_positions();
  Matrix hot_rows(const Matrix& characters);
  Matrix embed(const Matrix& characters);

  // Of a layer whose inputs are divided: the ranks' products become their sum.
  Matrix forward_divided(Dense& layer, const Matrix& in, const Matrix& residual);
  Matrix forward(Norm& layer, const Matrix& in);
  Matrix forward(Block& block, const Matrix& x);
  Block block(const std::string& name, ExpertExchange& experts);
  Matrix gelu_layer(Block& block, const Matrix& in, const Matrix& residual);
  Matrix gelu_layer_back(const Block& block, const Matrix& gradient, const Update& update);
  Matrix attention(Block& block);
  Matrix backward(const Norm& layer, const Matrix& gradient, const Matrix* residual,
                  const Update& update);
  Matrix backward(const Block& block, const Matrix& gradient, const Update& update);
  Matrix attention_gradient(const Block& block, const Matrix& gradient);

  // Over the ranks with the same part of the batch, in place. FP32.
  void sum_over_ranks(const Matrix& matrix);

  void observe(const std::string& what, const Matrix& matrix) const {
    parameters_->observe(what, matrix);
  }
  Matrix make(std::uint32_t columns, DType dtype) { return l_.make(tokens_, columns, dtype); }
  unsigned slabs() const { return (tokens_ + Matrix::kSlab - 1) / Matrix::kSlab; }
  // The rows of one slab of a matrix.
  Matrix slab_of(const Matrix& matrix, unsigned slab) const;
  // Of matrices side by side, all heads' each, the head's of that one: of queries, keys, values; of
  // keys, values.
  Matrix part_of_head(const Matrix& matrices, unsigned which, unsigned head) const;
  // Columns for one part of the windows in a matrix with as many for each.
  static Matrix part_of_windows(const Matrix& matrix, unsigned part);
  // dst = epilogue(sum of a^T b over the parts), a sum in FP32 and in their order.
  void product_over_parts(const Matrix& dst, const std::vector<Matrix>& a,
                          const std::vector<Matrix>& b, layers::Epilogue epilogue = {});

  Layers& l_;
  const TransformerSpec spec_;
  const Share share_;
  const std::uint32_t heads_, inner_, hidden_;  // of this rank: heads, their width, gelu columns
  const std::uint32_t window_, tokens_;         // characters of a window, of all
  const std::shared_ptr<const Parameters> parameters_;
  const float score_scale_;
  std::optional<Parameter> embedding_;  // of the first stage
  Matrix table_;                        // the embedding as an operand of products
  const std::uint32_t first_block_;     // of the stage
  std::vector<Block> blocks_;
  std::optional<Norm> norm_;  // of the last stage, and so
  std::optional<Dense> logits_;
  WindowParts& windows_;
  // [128, 128] fp32: 0 where a character attends to another, of the same part of the windows; of a
  // part before, which is that window's.
  Matrix mask_;
  std::optional<Matrix> mask_before_;  // none: to all
  Matrix positions_;                   // [128, context]: one-hot
  Matrix hot_;  // [tokens, alphabet + context]: the character's row and the position's
};

}  // namespace tern::train

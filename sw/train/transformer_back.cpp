// SPDX-License-Identifier: Apache-2.0
// The backward pass of the transformer. Gradients are FP32 along the residuals, and in the operand
// format where they enter products.
#include <fmt/format.h>

#include "sw/train/transformer.h"

namespace tern::train {

using layers::Epilogue;

Matrix Transformer::backward(const Matrix& gradient, const Update& update) {
  const auto part = [&](const std::string& name) { l_.builder().part(name + ", back"); };
  Matrix error = gradient;
  if (logits_) {
    part("logits");
    error = backward(*norm_, logits_->backward(gradient, DType::kFp32, update), nullptr, update);
  }
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    part(fmt::format("block {}", first_block_ + i));
    error = backward(blocks_[i], error, update);
    observe(fmt::format("gradient in front of block {}", first_block_ + i), error);
  }
  if (!embedding_) return error;
  part("embedding");
  const Matrix table = l_.product(DType::kFp32, hot_, parameters_->as_operand(error));
  observe("gradient of embedding", table);
  update(embedding_->tensor, embedding_->matrix, table);
  return error;
}

Matrix Transformer::backward(const Norm& layer, const Matrix& gradient, const Matrix* residual,
                             const Update& update) {
  Matrix result = make(gradient.columns, DType::kFp32);
  const Layers::NormGradient rows =
      l_.layer_norm_gradient(result, gradient, layer.kept, layer.gain.matrix.value(), residual);
  observe("gradient of " + layer.gain.tensor.name, rows.gamma);
  observe("gradient of " + layer.offset.tensor.name, rows.beta);
  update(layer.gain.tensor, layer.gain.matrix, rows.gamma);
  update(layer.offset.tensor, layer.offset.matrix, rows.beta);
  return result;
}

Matrix Transformer::gelu_layer_back(const Block& block, const Matrix& gradient,
                                    const Update& update) {
  const Matrix hidden =
      block.down->backward(parameters_->as_operand(gradient), DType::kFp32, update);
  const Matrix sums = make(hidden_, spec_.operand());
  l_.gelu_gradient(sums, hidden, block.sums);
  return block.up->backward(sums, DType::kFp32, update,
                            [this](const Matrix& matrix) { sum_over_ranks(matrix); });
}

Matrix Transformer::backward(const Block& block, const Matrix& gradient, const Update& update) {
  const Matrix in_front = block.experts ? block.experts->backward(gradient, update)
                                        : gelu_layer_back(block, gradient, update);
  const Matrix middle = backward(block.norm2, in_front, &gradient, update);
  const Matrix heads = block.out.backward(parameters_->as_operand(middle), spec_.operand(), update);
  const Matrix values = attention_gradient(block, heads);
  const Matrix front = block.qkv.backward(values, DType::kFp32, update,
                                          [this](const Matrix& matrix) { sum_over_ranks(matrix); });
  return backward(block.norm1, front, &middle, update);
}

// Of queries, keys and values, with P the probabilities and G the gradient of a head's result:
// values P^T G; scores S = P (G values^T - sums of P G values^T); queries S keys, keys S^T queries.
// Keys and values of other parts of the windows get their gradients from here, too.
Matrix Transformer::attention_gradient(const Block& block, const Matrix& gradient) {
  const auto parts = static_cast<unsigned>(block.attended.size());
  Matrix result = make(3 * inner_, spec_.operand());
  // Of keys and values, part by part: of windows in parts, what is added to others'.
  std::vector<Matrix> attended;
  for (unsigned p = 0; p < parts; ++p)
    attended.push_back(share_.sequence == 1 ? result.part_columns(inner_, 2 * inner_)
                                            : make(2 * inner_, DType::kFp32));
  std::vector<Matrix> scores;
  for (unsigned h = 0; h < heads_; ++h) {
    const Matrix of_head = part_of_head(gradient, 0, h);
    const Matrix gradients = l_.transpose(of_head);
    std::vector<Matrix> values;
    for (const Matrix& part : block.attended)
      values.push_back(l_.transpose(part_of_head(part, 1, h)));
    for (unsigned s = 0; s < slabs(); ++s) {
      const Matrix& probabilities = block.probabilities[h * slabs() + s];
      const std::uint32_t first = s * Matrix::kSlab, rows = probabilities.rows;
      scores.push_back(l_.make(rows, parts * rows, DType::kFp32));
      for (unsigned p = 0; p < parts; ++p) {
        l_.product(slab_of(part_of_head(attended[p], 1, h), s), part_of_windows(probabilities, p),
                   slab_of(of_head, s));
        l_.product(part_of_windows(scores.back(), p), gradients.part_columns(first, rows),
                   values[p].part_columns(first, rows));
      }
    }
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Matrix back = l_.make(scores[i].rows, scores[i].columns, spec_.operand());
    l_.softmax_gradient(back, scores[i], block.probabilities[i]);
    scores[i] = back;
    observe("gradient of attention", back);
  }
  Epilogue scaled;
  scaled.scale = score_scale_;
  for (unsigned h = 0; h < heads_; ++h) {
    const Matrix queries = part_of_head(block.values, 0, h);
    for (unsigned s = 0; s < slabs(); ++s) {
      const Matrix& score = scores[h * slabs() + s];
      std::vector<Matrix> back, keys;
      for (unsigned p = 0; p < parts; ++p) {
        back.push_back(l_.transpose(part_of_windows(score, p)));
        keys.push_back(slab_of(part_of_head(block.attended[p], 0, h), s));
      }
      product_over_parts(slab_of(part_of_head(result, 0, h), s), back, keys, scaled);
      for (unsigned p = 0; p < parts; ++p)
        l_.product(slab_of(part_of_head(attended[p], 0, h), s), part_of_windows(score, p),
                   slab_of(queries, s), scaled);
    }
  }
  if (share_.sequence > 1)
    l_.convert(result.part_columns(inner_, 2 * inner_), windows_.scatter(attended));
  observe("gradient of queries, keys and values", result);
  return result;
}

}  // namespace tern::train

// SPDX-License-Identifier: Apache-2.0
#include "sw/models/use/reference/sentence_encoder.h"

#include <algorithm>
#include <cmath>

namespace tern::reference {

namespace {

// Rows of numbers.
struct Matrix {
  Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c) {}
  float* row(std::size_t r) { return &values[r * columns]; }
  const float* row(std::size_t r) const { return &values[r * columns]; }
  std::size_t rows, columns;
  std::vector<float> values;
};

Matrix product(const Matrix& x, const use::Dense& dense) {
  Matrix y(x.rows, dense.out);
  constexpr std::size_t kRows = 8;  // rows that share a row of weights while it is in the cache
  for (std::size_t begin = 0; begin < x.rows; begin += kRows) {
    const std::size_t end = std::min(begin + kRows, x.rows);
    for (std::size_t k = 0; k < dense.in; ++k) {
      const float* weights = &dense.weight[k * dense.out];
      for (std::size_t r = begin; r < end; ++r) {
        const float factor = x.row(r)[k];
        float* sums = y.row(r);
        for (std::size_t n = 0; n < dense.out; ++n) sums[n] += factor * weights[n];
      }
    }
  }
  for (std::size_t r = 0; r < y.rows; ++r) {
    for (std::size_t n = 0; n < dense.out; ++n) y.row(r)[n] += dense.bias[n];
  }
  return y;
}

Matrix normalised(const Matrix& x, const use::Norm& norm, float epsilon) {
  Matrix y(x.rows, x.columns);
  const auto count = static_cast<double>(x.columns);
  for (std::size_t r = 0; r < x.rows; ++r) {
    double mean = 0, variance = 0;
    for (std::size_t c = 0; c < x.columns; ++c) mean += x.row(r)[c];
    mean /= count;
    for (std::size_t c = 0; c < x.columns; ++c) {
      const double distance = x.row(r)[c] - mean;
      variance += distance * distance;
    }
    const double factor = 1 / std::sqrt(variance / count + epsilon);
    for (std::size_t c = 0; c < x.columns; ++c) {
      y.row(r)[c] =
          static_cast<float>((x.row(r)[c] - mean) * factor * norm.scale[c] + norm.bias[c]);
    }
  }
  return y;
}

// Every token attends to every token of the sentence.
Matrix attention(const Matrix& qkv, const use::Block& block) {
  const std::size_t tokens = qkv.rows, width = block.width;
  Matrix result(tokens, width);
  std::vector<double> weights(tokens);
  for (unsigned h = 0; h < block.heads; ++h) {
    const std::size_t first = std::size_t{h} * block.head;
    for (std::size_t t = 0; t < tokens; ++t) {
      const float* query = qkv.row(t) + first;
      double most = -INFINITY, sum = 0;
      for (std::size_t s = 0; s < tokens; ++s) {
        const float* key = qkv.row(s) + width + first;
        double score = 0;
        for (std::size_t d = 0; d < block.head; ++d)
          score += static_cast<double>(query[d]) * block.query_scale * key[d];
        weights[s] = score;
        most = std::max(most, score);
      }
      for (double& weight : weights) sum += weight = std::exp(weight - most);
      for (std::size_t s = 0; s < tokens; ++s) {
        const float* value = qkv.row(s) + 2 * width + first;
        const auto weight = static_cast<float>(weights[s] / sum);
        for (std::size_t d = 0; d < block.head; ++d) result.row(t)[first + d] += weight * value[d];
      }
    }
  }
  return result;
}

void add(Matrix* x, const Matrix& y) {
  for (std::size_t i = 0; i < x->values.size(); ++i) x->values[i] += y.values[i];
}

}  // namespace

std::vector<float> sentence_embedding(const use::Model& model,
                                      const std::vector<std::uint32_t>& tokens) {
  const std::size_t width = use::Model::kTableWidth;
  const std::vector<float> positions = model.positions();
  Matrix x(tokens.size(), width);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    // The vector counts twice: the position is added to a copy, then the copy to the vector.
    for (std::size_t c = 0; c < width; ++c)
      x.row(t)[c] = 2 * model.table[tokens[t] * width + c] + positions[t * width + c];
  }
  for (const use::Block& block : model.blocks) {
    const Matrix qkv = product(normalised(x, block.attention_norm, model.norm_epsilon), block.qkv);
    if (block.residual) x = product(x, *block.residual);
    add(&x, product(attention(qkv, block), block.output));
    Matrix hidden = product(normalised(x, block.feed_norm, model.norm_epsilon), block.feed_in);
    for (float& value : hidden.values) value = std::max(value, 0.0f);
    add(&x, product(hidden, block.feed_out));
  }
  Matrix mean(1, x.columns);
  for (std::size_t c = 0; c < x.columns; ++c) {
    double sum = 0;
    for (std::size_t t = 0; t < x.rows; ++t) sum += x.row(t)[c];
    mean.row(0)[c] = static_cast<float>(sum / static_cast<double>(x.rows));
  }
  std::vector<float> result = product(mean, model.last).values;
  double squares = 0;
  for (float& value : result) {
    value = std::tanh(value);
    squares += static_cast<double>(value) * value;
  }
  const double length = std::sqrt(std::max(squares, static_cast<double>(model.length_epsilon)));
  for (float& value : result) value = static_cast<float>(value / length);
  return result;
}

double cosine(const float* a, const float* b, std::size_t count) {
  double product = 0, squares_a = 0, squares_b = 0;
  for (std::size_t i = 0; i < count; ++i) {
    product += static_cast<double>(a[i]) * b[i];
    squares_a += static_cast<double>(a[i]) * a[i];
    squares_b += static_cast<double>(b[i]) * b[i];
  }
  return product / std::sqrt(squares_a * squares_b);
}

}  // namespace tern::reference

// SPDX-License-Identifier: Apache-2.0
#include "sw/models/use/folded.h"

namespace tern::use {

namespace {

// Columns [first, first + count), times `scale`.
Dense columns(const Dense& dense, unsigned first, unsigned count, float scale) {
  Dense part{dense.in, count, {}, {}};
  for (unsigned k = 0; k < dense.in; ++k) {
    for (unsigned n = first; n < first + count; ++n)
      part.weight.push_back(dense.weight[std::size_t{k} * dense.out + n] * scale);
  }
  for (unsigned n = first; n < first + count; ++n) part.bias.push_back(dense.bias[n] * scale);
  return part;
}

// bias + x W.
std::vector<float> moved(const Dense& dense, const std::vector<float>& x) {
  std::vector<float> result;
  for (unsigned n = 0; n < dense.out; ++n) {
    double sum = dense.bias[n];
    for (unsigned k = 0; k < dense.in; ++k)
      sum += static_cast<double>(x[k]) * dense.weight[std::size_t{k} * dense.out + n];
    result.push_back(static_cast<float>(sum));
  }
  return result;
}

// The matrix after a norm's gain and offset: (n gain + offset) W + b.
Dense behind(const Norm& norm, const Dense& dense) {
  Dense result = dense;
  result.bias = moved(dense, norm.bias);
  for (unsigned k = 0; k < dense.in; ++k) {
    for (unsigned n = 0; n < dense.out; ++n)
      result.weight[std::size_t{k} * dense.out + n] *= norm.scale[k];
  }
  return result;
}

Dense side_by_side(const Dense& a, const Dense& b) {
  Dense result{a.in, a.out + b.out, {}, a.bias};
  for (unsigned k = 0; k < a.in; ++k) {
    for (const Dense* part : {&a, &b}) {
      const auto row = part->weight.begin() + std::ptrdiff_t{k} * part->out;
      result.weight.insert(result.weight.end(), row, row + part->out);
    }
  }
  result.bias.insert(result.bias.end(), b.bias.begin(), b.bias.end());
  return result;
}

// Rows [first, first + count), without the bias.
Dense rows(const Dense& dense, unsigned first, unsigned count) {
  const auto row = [&](unsigned n) {
    return dense.weight.begin() + static_cast<std::ptrdiff_t>(std::size_t{n} * dense.out);
  };
  return {count, dense.out, {row(first), row(first + count)}, {}};
}

}  // namespace

FoldedBlock part_of(const FoldedBlock& whole, unsigned width, unsigned parts, unsigned part) {
  const unsigned own = width / parts, hidden = whole.feed_in.out / parts;
  FoldedBlock result;
  result.qk = side_by_side(columns(whole.qk, part * own, own, 1.0f),
                           columns(whole.qk, width + part * own, own, 1.0f));
  result.v = columns(whole.v, part * own, own, 1.0f);
  result.out = rows(whole.out, part * own, own);
  if (whole.out.in > width) {
    const Dense residual = rows(whole.out, width + part * own, own);
    result.out.in += own;
    result.out.weight.insert(result.out.weight.end(), residual.weight.begin(),
                             residual.weight.end());
  }
  result.out.bias = whole.out.bias;
  result.feed_in = columns(whole.feed_in, part * hidden, hidden, 1.0f);
  result.feed_out = rows(whole.feed_out, part * hidden, hidden);
  result.feed_out.bias = whole.feed_out.bias;
  return result;
}

FoldedBlock fold(const Block& block) {
  const unsigned width = block.width;
  const Dense qkv = behind(block.attention_norm, block.qkv);
  FoldedBlock folded;
  folded.qk =
      side_by_side(columns(qkv, 0, width, block.query_scale), columns(qkv, width, width, 1.0f));
  folded.v = columns(qkv, 2 * width, width, 1.0f);
  folded.out = block.output;
  // The weights of a head's tokens add up to 1: the bias of the values passes through.
  folded.out.bias = moved(block.output, folded.v.bias);
  folded.v.bias.assign(width, 0.0f);
  if (block.residual) {
    folded.out.in += width;
    folded.out.weight.insert(folded.out.weight.end(), block.residual->weight.begin(),
                             block.residual->weight.end());
    for (unsigned n = 0; n < folded.out.out; ++n) folded.out.bias[n] += block.residual->bias[n];
  }
  folded.feed_in = behind(block.feed_norm, block.feed_in);
  folded.feed_out = block.feed_out;
  return folded;
}

}  // namespace tern::use

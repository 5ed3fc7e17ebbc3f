// SPDX-License-Identifier: Apache-2.0
// The encoder as instructions: README.md describes its structure.
#include "sw/models/use/encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "sw/base/user_error.h"
#include "sw/layers/layers.h"
#include "sw/models/use/operand.h"

namespace tern::use {

using kernels::Activation;
using kernels::Alu;
using kernels::DType;
using kernels::KernelBuilder;
using kernels::Tensor;
using layers::Epilogue;
using layers::Layers;
using layers::Matrix;

namespace {

constexpr unsigned kTokens = Batch::kTokens, kSlots = Batch::kSlots;
constexpr unsigned kWidth = Model::kWidth, kTableWidth = Model::kTableWidth;
constexpr float kMasked = -30000;  // added to a score: its exponential is 0

struct BlockWeights {
  unsigned width = 0, own = 0;   // of all heads, of this part's
  unsigned heads = 0, head = 0;  // of this part, and the width of one
  bool residual = false;
  DType attention = DType::kBf16;  // of its operands, where they are not quantised
  Operand qk, v, out, feed_in, feed_out;
  std::vector<Matrix> qk_bias;  // of each head's queries, then keys
  Matrix out_bias, in_bias, feed_bias;
};

class Encoder {
 public:
  Encoder(const Model& model, Format format, unsigned batches, const ChipConfig& chip,
          const EncoderPart& part)
      : model_(model),
        part_(part),
        batches_(batches),
        kb_("sentence_encoder", chip),
        l_(joined(kb_, part), chip),
        ops_(l_, format) {}

  Executable build() {
    const std::uint64_t count = batches_;
    if (part_.first()) {
      tokens_ = kb_.input("tokens", DType::kInt32, {count, kTokens});
      positions_ = kb_.input("positions", DType::kInt32, {count, kTokens});
      table_ = kb_.weight("table", DType::kFp32, {model_.vocabulary, kTableWidth});
      position_table_ = kb_.weight("position_table", DType::kFp32, {kTokens, kTableWidth});
    }
    slots_ = kb_.input("slots", DType::kFp32, {count, kTokens});
    make_links();
    Group group = begin_group(0);  // its rows come before the weights
    kb_.part("weights");
    blocks_.resize(Model::kBlocks);
    for (unsigned i = 0; i < Model::kBlocks; ++i) {
      if (part_.has_block(i)) load_block(i);
    }
    std::optional<LastLayer> last;
    if (part_.last()) last = load_last();
    for (unsigned first = 0; first < batches_; first += kBatchesAtOnce) {
      Group next;
      if (first + kBatchesAtOnce < batches_) next = begin_group(first + kBatchesAtOnce);
      if (!part_.first()) group.x = receive(group);
      for (unsigned i = 0; i < Model::kBlocks; ++i) {
        if (part_.has_block(i)) apply(i, &group);
      }
      if (last) {
        kb_.part("mean");
        pool(group);
      } else {
        send(group);
      }
      group = next;
    }
    if (last) finish(*last);
    return kb_.finish();
  }

 private:
  static KernelBuilder& joined(KernelBuilder& kb, const EncoderPart& part) {
    const unsigned ranks = part.grid().ranks();
    if (ranks > 1) kb.join_parts(part.rank(), ranks);
    return kb;
  }

  // Up to four batches; x [own tokens, width], those of one batch after those of the other.
  struct Group {
    unsigned first = 0, count = 0;
    Matrix x;
    std::vector<Matrix> masks;  // [own, 128] of each batch: 0 within a sentence
    std::vector<Matrix> slots;  // [128, 1], for the mean
  };

  struct LastLayer {
    Matrix weight, bias;
    Tensor embeddings;
  };
  LastLayer load_last() {
    LastLayer last;
    last.embeddings =
        kb_.output("embeddings", DType::kFp32, {std::uint64_t{batches_} * kSlots, kWidth});
    last.weight = l_.load(kb_.weight("last", DType::kFp32, {kWidth, kWidth}));
    last.bias = l_.load_row(kb_.weight("last_bias", DType::kFp32, {1, kWidth}));
    numbers_ = l_.make(kTokens, kSlots, DType::kFp32);
    kb_.iota(numbers_.slab(0), {});
    means_ = l_.make(kWidth, batches_ * kSlots, DType::kFp32);
    return last;
  }
  void finish(const LastLayer& last) {
    kb_.part("last layer");
    Epilogue tanh;
    tanh.bias_row = &last.bias;
    tanh.function = Activation::kTanh;
    const Matrix result = l_.product(DType::kFp32, means_, last.weight, tanh);
    divide_by_length(result);
    l_.store(last.embeddings, result);
  }

  // Buffers in HBM for each group, so that a stage may be ahead of the next one.
  struct Link {
    Tensor sent, received;
  };
  void make_links() {
    if (part_.stages == 1) return;
    for (unsigned first = 0; first < batches_; first += kBatchesAtOnce) {
      const std::uint64_t rows = std::uint64_t{std::min(kBatchesAtOnce, batches_ - first)} * own_;
      const auto buffer = [&](const char* what) {
        Tensor tensor =
            kb_.scratch(fmt::format("{}.{}", what, links_.size()), DType::kFp32, {rows, kWidth});
        kb_.already_written(tensor);  // by another rank, or nothing reads it
        return tensor;
      };
      links_.push_back({buffer("sent"), buffer("received")});
    }
    for (unsigned boundary = 0; boundary + 1 < part_.stages; ++boundary)
      kb_.reserve_flags(*part_.handover, part_.grid().between_stages(boundary));
  }
  void hand_over(const Group& g, unsigned boundary) {
    const Link& link = links_[g.first / kBatchesAtOnce];
    const auto rows = static_cast<unsigned>(link.sent.rows);
    kernels::CollectiveOperands operands;
    operands.input = link.sent.rows_on_partitions(0, 1, rows);
    operands.output = link.received.rows_on_partitions(0, 1, rows);
    kb_.collective(*part_.handover, operands, {0, part_.grid().between_stages(boundary)});
  }
  void send(const Group& g) {
    kb_.part("to the next stage");
    l_.store(links_[g.first / kBatchesAtOnce].sent, g.x);
    hand_over(g, part_.stage);
  }
  Matrix receive(const Group& g) {
    kb_.part("from the stage before");
    hand_over(g, part_.stage - 1);
    return l_.load(links_[g.first / kBatchesAtOnce].received);
  }

  void load_block(unsigned index) {
    const Block& block = model_.blocks[index];
    const std::string name = "b" + std::to_string(index) + ".";
    BlockWeights w;
    w.width = block.width;
    w.own = block.width / part_.parts;
    w.heads = block.heads / part_.parts;
    w.head = block.head;
    w.residual = block.residual.has_value();
    const bool exact = is_exact(index);
    if (exact) w.attention = DType::kFp32;
    const auto bias = [&](const char* what, std::uint64_t columns) {
      return kb_.weight(name + what, DType::kFp32, {1, columns});
    };
    const unsigned hidden = block.feed_in.out / part_.parts;
    w.qk = ops_.weight(name + "qk", w.width, 2 * w.own, exact);
    const Tensor biases =
        kb_.weight(name + "qk_bias", DType::kFp32, {std::uint64_t{2} * w.heads, w.head});
    for (unsigned h = 0; h < 2 * w.heads; ++h)
      w.qk_bias.push_back(l_.load_column(biases, w.head, h));
    w.v = ops_.weight(name + "v", w.width, w.own, exact);
    w.out = ops_.weight(name + "out", w.residual ? 2 * w.own : w.own, kWidth, exact);
    w.out_bias = l_.load_row(bias("out_bias", kWidth));
    w.feed_in = ops_.weight(name + "feed_in", kWidth, hidden);
    w.in_bias = l_.load_column(bias("in_bias", hidden), hidden);
    w.feed_out = ops_.weight(name + "feed_out", hidden, kWidth);
    w.feed_bias = l_.load_row(bias("feed_bias", kWidth));
    blocks_[index] = std::move(w);
  }

  // x = 2 table[token] + position_table[position].
  Group begin_group(unsigned first) {
    kb_.part("tokens");
    Group g;
    g.first = first;
    g.count = std::min(kBatchesAtOnce, batches_ - first);
    if (part_.first()) g.x = l_.make(g.count * own_, kTableWidth, DType::kFp32);
    for (unsigned b = 0; b < g.count; ++b) {
      if (part_.first()) look_up(first + b, g.x.part_rows(b * own_, own_));
      g.slots.push_back(l_.load_column(slots_, kTokens, first + b));
      g.masks.push_back(l_.load_row(slots_, first + b).part_rows(0, own_));
      const Matrix own = own_ == kTokens ? g.slots.back() : own_column(slots_, first + b);
      const kernels::TileView mask = g.masks.back().slab(0);
      kb_.tensor_scalar(mask, mask, Alu::kIsNe, own.slab(0), Alu::kMultiply, kMasked);
    }
    return g;
  }
  // [own, 1], of a batch.
  Matrix own_column(const Tensor& of_batches, unsigned batch) {
    return l_.load_column(of_batches, own_, batch, part_.sequence * own_);
  }
  void look_up(unsigned batch, const Matrix& x) {
    const Matrix token = own_column(tokens_, batch);
    const Matrix position = own_column(positions_, batch);
    const Matrix row = l_.make(own_, kTableWidth, DType::kFp32);
    const Matrix place = l_.make(own_, kTableWidth, DType::kFp32);
    kb_.dma_gather(row.slab(0), table_.view(0, model_.vocabulary, 0, kTableWidth), token.slab(0));
    kb_.dma_gather(place.slab(0), position_table_.view(0, kTokens, 0, kTableWidth),
                   position.slab(0));
    l_.scale_combine(x, row, 2.0f, Alu::kAdd, place);
  }

  void apply(unsigned block, Group* g) {
    const BlockWeights& w = blocks_[block];
    const std::string name = "block " + std::to_string(block);
    kb_.part(name + ", attention");
    const std::uint32_t tokens = g->x.rows;
    // Heads below one another and, for the residual's product, x: [own or 2 own, tokens].
    const Matrix heads = l_.make(w.residual ? 2 * w.own : w.own, tokens, w.attention);
    {
      const Matrix h = normalised(g->x, w.attention);
      const Operand own = ops_.activations(l_.transpose(h));
      attention(w, own,
                part_.sequences == 1 ? own : ops_.activations(l_.transpose(of_all(h, g->count))),
                *g, heads);
    }
    if (w.residual) {
      const Matrix x = g->x.part_columns(part_.part * w.own, w.own);
      l_.transpose(heads.part_rows(w.own, w.own),
                   w.attention == DType::kFp32 ? x : l_.convert(w.attention, x));
    }
    const Matrix y = l_.make(tokens, kWidth, DType::kFp32);
    summed_product(y, ops_.activations(heads), w.out, w.out_bias, w.residual ? nullptr : &g->x);

    kb_.part(name + ", feed-forward");
    const Matrix hidden = l_.make(w.in_bias.rows, tokens, DType::kBf16);
    Epilogue relu;
    relu.bias_column = &w.in_bias;
    relu.function = Activation::kRelu;
    ops_.product(hidden, w.feed_in, ops_.activations(l_.transpose(normalised(y, DType::kBf16))),
                 relu);
    const Matrix x = l_.make(tokens, kWidth, DType::kFp32);
    summed_product(x, ops_.activations(hidden), w.feed_out, w.feed_bias, &y);
    g->x = x;
  }

  // dst = the sum over all parts of a^T b, plus bias and residual.
  void summed_product(const Matrix& dst, const Operand& a, const Operand& b, const Matrix& bias,
                      const Matrix* residual) {
    Epilogue add;
    add.bias_row = &bias;
    add.residual = residual;
    if (part_.parts == 1) return ops_.product(dst, a, b, add);
    ops_.product(dst, a, b);
    l_.collective(*part_.sum, dst, part_.grid().along_tensor());
    l_.combine_rows(dst, dst, Alu::kAdd, bias);
    if (residual != nullptr) l_.combine(dst, dst, Alu::kAdd, *residual);
  }

  Matrix normalised(const Matrix& x, DType dtype) {
    Matrix h = l_.make(x.rows, x.columns, dtype);
    l_.layer_norm(h, x, nullptr, nullptr, model_.norm_epsilon);
    return h;
  }

  // Of each batch the rows of all ranks that have some of its tokens, in the tokens' order.
  Matrix of_all(const Matrix& own, unsigned count) {
    Tensor buffer =
        kb_.scratch(fmt::format("tokens.{}", gathered_++), own.dtype,
                    {std::uint64_t{part_.sequences} * own.rows, std::uint64_t{own.columns}});
    kb_.already_written(buffer);  // by other ranks
    l_.store(buffer, own, std::uint64_t{part_.sequence} * own.rows);
    kernels::CollectiveOperands operands;
    operands.data = buffer.rows_on_partitions(0, 1, static_cast<unsigned>(buffer.rows));
    kb_.collective(*part_.gather, operands, {0, part_.grid().along_sequence()});
    Matrix all = l_.make(count * kTokens, own.columns, own.dtype);
    for (unsigned part = 0; part < part_.sequences; ++part) {
      for (unsigned b = 0; b < count; ++b)
        l_.load(all.part_rows(b * kTokens + part * own_, own_), buffer,
                std::uint64_t{part} * own.rows + std::uint64_t{b} * own_);
    }
    return all;
  }

  // Step by step for all heads and batches, so that no engine waits for one of them. Queries are
  // those of the own tokens, keys and values those of all.
  void attention(const BlockWeights& w, const Operand& own, const Operand& all, const Group& g,
                 const Matrix& result) {
    std::vector<Matrix> qk;  // [head, tokens]: queries of each head, then keys
    for (unsigned i = 0; i < 2 * w.heads; ++i) {
      Epilogue bias;
      bias.bias_column = &w.qk_bias[i];
      qk.push_back(l_.make(w.head, g.count * (i < w.heads ? own_ : kTokens), w.attention));
      ops_.product(qk.back(), w.qk.columns(i * w.head, w.head), i < w.heads ? own : all, bias);
    }
    const Matrix values = l_.make(g.count * kTokens, w.own, w.attention);
    ops_.product(values, all, w.v);

    std::vector<Matrix> weights;  // [own, 128] of each batch and head
    for (unsigned b = 0; b < g.count; ++b) {
      for (unsigned i = 0; i < w.heads; ++i) {
        Epilogue mask;
        mask.residual = &g.masks[b];
        weights.push_back(l_.product(DType::kFp32, qk[i].part_columns(b * own_, own_),
                                     qk[w.heads + i].part_columns(b * kTokens, kTokens), mask));
      }
    }
    for (Matrix& scores : weights) {
      const Matrix probabilities = l_.make(own_, kTokens, w.attention);
      l_.softmax(probabilities, scores);
      scores = probabilities;
    }
    for (Matrix& probabilities : weights) probabilities = l_.transpose(probabilities);
    for (unsigned b = 0; b < g.count; ++b) {
      for (unsigned i = 0; i < w.heads; ++i) {
        l_.product(result.part_rows(i * w.head, w.head).part_columns(b * own_, own_),
                   values.part_rows(b * kTokens, kTokens).part_columns(i * w.head, w.head),
                   weights[b * w.heads + i]);
      }
    }
  }

  // The mean of each sentence's rows as a column of means_; FP32 products with 0 and 1 are exact.
  void pool(const Group& g) {
    const Matrix x = part_.sequences == 1 ? g.x : of_all(g.x, g.count);
    for (unsigned b = 0; b < g.count; ++b) {
      const Matrix selector = l_.make(kTokens, kSlots, DType::kFp32);
      kb_.tensor_scalar(selector.slab(0), numbers_.slab(0), Alu::kIsEq, g.slots[b].slab(0));
      const Matrix sums = l_.product(DType::kFp32, x.part_rows(b * kTokens, kTokens), selector);
      const Matrix counts = l_.column_sums(selector);
      const kernels::TileView count = counts.slab(0);
      kb_.tensor_scalar(count, count, Alu::kMax, 1.0f);  // an unused slot
      kb_.reciprocal(count, count);
      l_.combine_rows(means_.part_columns((g.first + b) * kSlots, kSlots), sums, Alu::kMultiply,
                      counts);
    }
  }

  void divide_by_length(const Matrix& x) {
    const Matrix squares = l_.make(x.rows, x.columns, DType::kBf16);
    const Matrix length = l_.make(x.rows, 1, DType::kFp32);
    const kernels::TileView column = length.slab(0);
    kb_.activation_reduce(squares.slab(0), Activation::kSquare, x.slab(0), Alu::kAdd, column);
    kb_.tensor_scalar(column, column, Alu::kMax, model_.length_epsilon);
    kb_.activation(column, Activation::kRsqrt, column);
    kb_.tensor_scalar(x.slab(0), x.slab(0), Alu::kMultiply, column);
  }

  const Model& model_;
  const EncoderPart part_;
  const unsigned own_ = kTokens / part_.sequences;  // tokens of each batch
  const unsigned batches_;
  KernelBuilder kb_;
  Layers l_;
  Operands ops_;
  Tensor tokens_, positions_, slots_, table_, position_table_;
  std::vector<BlockWeights> blocks_;  // of all blocks; of other stages empty
  std::vector<Link> links_;           // of each group; of one stage none
  unsigned gathered_ = 0;
  Matrix numbers_, means_;
};

}  // namespace

void check_parts(const Model& model, const collectives::RankGrid& grid) {
  const unsigned parts = grid.tensor, stages = grid.pipeline;
  if (stages > Model::kBlocks)
    throw UserError(
        fmt::format("encoder: {} stages, and it has {} blocks", stages, Model::kBlocks));
  // Engines begin at multiples of 32 partitions.
  if (grid.sequence != 1 && grid.sequence != 2 && grid.sequence != 4)
    throw UserError(fmt::format("encoder: {} parts of a batch's {} tokens, not 1, 2 or 4",
                                grid.sequence, kTokens));
  for (const Block& block : model.blocks) {
    if (block.heads % parts != 0)
      throw UserError(
          fmt::format("encoder: {} heads do not divide into {} parts", block.heads, parts));
    if (block.feed_in.out % parts != 0)
      throw UserError(fmt::format("encoder: {} hidden columns do not divide into {} parts",
                                  block.feed_in.out, parts));
  }
}

Executable build_encoder(const Model& model, Format format, unsigned batches,
                         const ChipConfig& chip, const EncoderPart& part) {
  if (batches == 0 || batches > kMaxBatches) throw UserError("encoder: expected 1 .. 16 batches");
  check_parts(model, part.grid());
  return Encoder(model, format, batches, chip, part).build();
}

}  // namespace tern::use

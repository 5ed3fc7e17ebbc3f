// SPDX-License-Identifier: Apache-2.0
// The online softmax of the attention kernel: maxima, exponentials, sums, corrections.
#include "sw/kernels/attention_builder.h"

namespace tern::kernels {

// Scalar: out of PSUM, scaled; the maximum of the item in the same pass.
void AttentionBuilder::evict_scores(std::size_t group) {
  const AttentionItem& item = item_of(group);
  const AttentionGroup& part = plan_.groups[group];
  unsigned first = part.first;
  for (const Tile& bank : groups_[group].banks) {
    ScalarOptions options;
    options.engine = Engine::kScalar;
    options.reduce = Reduce{Alu::kMax, {}, ReduceCommand::kReduce};
    if (first == 0) options.reduce->command = ReduceCommand::kResetReduce;
    if (first + bank.free == item.keys) options.reduce->column = maximum_of_chunk(group);
    kb_.activate2(tiles_of(group).scores.view(0, item.rows, first, bank.free), bank, Alu::kMultiply,
                  scale_, Alu::kBypass, 0.0f, options);
    first += bank.free;
  }
}

// The maximum so far.
void AttentionBuilder::find_maximum(std::size_t group) {
  const AttentionItem& item = item_of(group);
  const TileView now = running_maximum(group, item.chunk);
  if (!on_vector()) reduce_banks(group);
  if (!item.first) {
    kb_.tensor_tensor(now, running_maximum(group, item.chunk - 1), Alu::kMax,
                      maximum_of_chunk(group));
  }
  if (on_vector()) return;
  kb_.activation(item_column(group, kBias), Activation::kIdentity, now, -scale_);
}

void AttentionBuilder::reduce_banks(std::size_t group) {
  const std::vector<Tile>& banks = groups_[group].banks;
  if (banks.size() == 1) {
    kb_.tensor_reduce(maximum_of_chunk(group), Alu::kMax, banks[0]);
    return;
  }
  for (unsigned b = 0; b < banks.size(); ++b) {
    kb_.tensor_reduce(item_column(group, kMaximum + b), Alu::kMax, banks[b]);
  }
  kb_.tensor_tensor(maximum_of_chunk(group), item_column(group, kMaximum), Alu::kMax,
                    item_column(group, kMaximum + 1));
}

// Probabilities, not yet divided by their sum; their sum; the factor that corrects what was
// computed with an earlier maximum.
void AttentionBuilder::exponentials(std::size_t group) {
  const AttentionItem& item = item_of(group);
  Item& tiles = tiles_of(group);
  tiles.probabilities = probabilities_.tile("probabilities", item.rows, item.keys, DType::kBf16);
  const TileView now = running_maximum(group, item.chunk);
  // The first chunk's sum is the running sum.
  const Reduce sum{Alu::kAdd, item.first ? column(tiles.state->columns, group, kSum)
                                         : item_column(group, kItemSum)};
  if (on_vector()) {
    kb_.exponential(tiles.probabilities, tiles.scores, now, sum);
  } else {
    scalar_exponentials(group, sum);
  }
  if (item.first) return;
  const TileView before = running_maximum(group, item.chunk - 1);
  if (on_vector()) {
    kb_.exponential(item_column(group, kFactor), before, now);
  } else {
    kb_.activation(item_column(group, kFactor), Activation::kExp, before, scale_,
                   item_column(group, kBias));
  }
}

void AttentionBuilder::scalar_exponentials(std::size_t group, Reduce sum) {
  const AttentionItem& item = item_of(group);
  const Tile& probabilities = tiles_of(group).probabilities;
  unsigned first = 0;
  for (const Tile& bank : groups_[group].banks) {
    ActivationOptions options;
    options.scale = scale_;
    options.bias = item_column(group, kBias);
    sum.command = first == 0 ? ReduceCommand::kResetReduce : ReduceCommand::kReduce;
    sum.store = first + bank.free == item.keys;
    options.reduce = sum;
    kb_.activation(probabilities.view(0, item.rows, first, bank.free), Activation::kExp, bank,
                   options);
    first += bank.free;
  }
}

// sum = sum * factor + sum of the item.
void AttentionBuilder::add_sum(std::size_t group) {
  const TileView total = column(tiles_of(group).state->columns, group, kSum);
  const TileView factor = item_column(group, kFactor), sum = item_column(group, kItemSum);
  if (item_of(group).first) return;
  if (on_vector()) {
    kb_.tensor_scalar(total, total, Alu::kMultiply, factor, Alu::kAdd, sum);
  } else {
    ActivationOptions options;
    options.scale = factor;
    options.bias = sum;
    kb_.activation(total, Activation::kIdentity, total, options);
  }
}

void AttentionBuilder::invert_sum(std::size_t group) {
  if (!item_of(group).last) return;
  const Tile& columns = tiles_of(group).state->columns;
  kb_.reciprocal(column(columns, group, kReciprocal), column(columns, group, kSum));
}

// The product of a chunk is added to the earlier ones.
void AttentionBuilder::end(std::size_t group) {
  const AttentionItem& item = item_of(group);
  const Item& tiles = tiles_of(group);
  const Tile& result = tiles.state->result;
  if (item.first && item.last) return store(group, tiles.product);
  if (item.first) return kb_.tensor_copy(result, tiles.product);
  kb_.scalar_tensor_tensor(result, result, Alu::kMultiply, item_column(group, kFactor), Alu::kAdd,
                           tiles.product);
}

void AttentionBuilder::divide(std::size_t group) {
  const AttentionItem& item = item_of(group);
  if (item.last && !item.first) store(group, tiles_of(group).state->result);
}

void AttentionBuilder::store(std::size_t group, const TileView& result) {
  const AttentionItem& item = item_of(group);
  const Tile out = outputs_.tile("out", item.rows, spec_.d, spec_.output);
  kb_.tensor_scalar(out, result, Alu::kMultiply,
                    column(tiles_of(group).state->columns, group, kReciprocal));
  kb_.dma_store(out_.view(item.head * spec_.queries + item.query, item.rows, 0, spec_.d), out);
}

}  // namespace tern::kernels

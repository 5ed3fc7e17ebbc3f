// SPDX-License-Identifier: Apache-2.0
// The attention kernel: its pipeline and the queue of the tensor engine.
#include "sw/kernels/attention.h"

#include <cmath>

#include "sw/base/stop.h"
#include "sw/kernels/attention_builder.h"

namespace tern::kernels {

namespace {

constexpr unsigned kTransposeCycles = 160;  // needed by a transpose next to a running product

float scale_of(const AttentionSpec& spec) {
  return static_cast<float>(1 / std::sqrt(static_cast<double>(spec.d)));
}

}  // namespace

AttentionBuilder::AttentionBuilder(const AttentionSpec& spec, const ChipConfig& chip)
    : spec_(spec), plan_(spec, chip), kb_("attention", chip), scale_(scale_of(spec)) {
  const std::uint64_t heads = spec.heads, d = spec.d;
  q_ = kb_.input("q", DType::kBf16, {heads, d, spec.queries});
  k_ = kb_.input("k", DType::kBf16, {heads, d, spec.keys});
  v_ = kb_.input("v", DType::kBf16, {heads, spec.keys, d});
  out_ = kb_.output("out", spec.output, {heads, spec.queries, d});
  const auto out_bytes = 4 * spec.d;
  queries_ = kb_.sbuf_pool("queries", 2, 2 * AttentionPlan::kQueries);
  chunks_ = kb_.sbuf_pool("chunks", plan_.buffers, plan_.chunk_bytes(spec));
  if (on_vector()) scores_ = kb_.sbuf_pool("scores", plan_.score_tiles(), 4 * plan_.chunk);
  probabilities_ = kb_.sbuf_pool("probabilities", plan_.probability_tiles(), 2 * plan_.chunk);
  transposed_ = kb_.sbuf_pool("transposed", AttentionPlan::kTransposedTiles, 2 * kAttentionGroup);
  item_columns_ = kb_.sbuf_pool("item columns", plan_.item_tiles(), 4 * kItemColumns);
  states_ = kb_.sbuf_pool("states", plan_.state_tiles(), 4 * kStateColumns);
  results_ = kb_.sbuf_pool("results", plan_.state_tiles(), out_bytes);
  outputs_ = kb_.sbuf_pool("outputs", AttentionPlan::kOutputTiles, out_bytes);
  score_banks_ = kb_.psum_pool("score banks", 4);
  transposed_banks_ = kb_.psum_pool("transposed banks", 2);
  product_banks_ = kb_.psum_pool("product banks", 2);
}

Executable AttentionBuilder::build(const AttentionBeside& beside) {
  if (beside.before) beside.before(kb_);
  if (spec_.causal) make_mask();
  items_.resize(plan_.items.size());
  groups_.resize(plan_.groups.size());
  for (std::size_t step = 0; step < plan_.groups.size() + plan_.divisions; ++step) {
    base::end_if_requested();  // a hundred thousand keys take minutes
    emit(step);
  }
  if (beside.after) beside.after(kb_);
  return kb_.finish();
}

// One step of the pipeline. The order of the calls is the order in each queue; every part uses
// the results of another queue from an earlier step.
void AttentionBuilder::emit(std::size_t step) {
  const auto item_ends = [&](unsigned lag) {
    const auto group = at(step, lag);
    return group && plan_.groups[*group].ends_item ? group : std::nullopt;
  };
  if (const auto g = item_ends(plan_.exponentials)) find_maximum(*g);
  if (const auto g = at(step, plan_.evictions)) evict_transposed(*g);
  if (const auto g = item_ends(plan_.sums)) add_sum(*g);
  if (const auto g = item_ends(plan_.products)) invert_sum(*g);
  if (const auto g = item_ends(plan_.divisions)) divide(*g);
  if (const auto g = item_ends(plan_.ends)) end(*g);
  if (const auto g = item_ends(plan_.exponentials)) exponentials(*g);
  tensor_step(at(step, 0), at(step, plan_.transposes), at(step, plan_.products));
}

// Tensor queue: the scores of one group interleaved with transposes of another, then products of
// a third with the rest of the transposes in between.
void AttentionBuilder::tensor_step(std::optional<std::size_t> scores,
                                   std::optional<std::size_t> transposes,
                                   std::optional<std::size_t> products) {
  std::uint32_t done = 0;
  const auto transpose = [&](unsigned count) {
    if (!transposes) return;
    const std::uint32_t keys = plan_.groups[*transposes].keys;
    for (; count > 0 && done < keys; --count, done += kBlock) transpose_block(*transposes, done);
  };
  if (scores) {
    if (plan_.groups[*scores].begins_item) begin_item(*scores);
    const AttentionItem& item = item_of(*scores);
    const Item& tiles = tiles_of(*scores);
    const AttentionGroup& part = plan_.groups[*scores];
    kb_.load_stationary(tiles.queries.view(0, spec_.d, tiles.query_column, item.rows));
    for (std::uint32_t key = 0; key < part.keys; key += kPsumBankColumns) {
      const std::uint32_t count = std::min(kPsumBankColumns, part.keys - key);
      const Tile bank = score_banks_.tile("scores", item.rows, count, DType::kFp32);
      kb_.multiply_moving(bank, tiles.keys.view(0, spec_.d, part.first + key, count), {});
      groups_[*scores].banks.push_back(bank);
      transpose(count / kTransposeCycles);
    }
    if (spec_.causal) add_mask(*scores);
    if (on_vector()) evict_scores(*scores);
  } else {
    transpose(kAttentionGroup / kBlock);  // nothing runs in parallel: the sooner the better
  }
  if (products) {
    for (std::uint32_t key = 0; key < plan_.groups[*products].keys; key += kBlock) {
      multiply_block(*products, key);
      transpose(1);
    }
  }
  transpose(kAttentionGroup / kBlock);
}

void AttentionBuilder::transpose_block(std::size_t group, std::uint32_t key) {
  const unsigned rows = item_of(group).rows;
  Group& tiles = groups_[group];
  if (key == 0) {
    tiles.bank = transposed_banks_.tile("transposed", kBlock, kAttentionGroup, DType::kBf16);
  }
  const unsigned keys = std::min(kBlock, plan_.groups[group].keys - key);
  kb_.nc_transpose(
      tiles.bank.view(0, keys, key, rows),
      tiles_of(group).probabilities.view(0, rows, plan_.groups[group].first + key, keys));
}

// Vector: two elements a cycle, 16 bits out of PSUM.
void AttentionBuilder::evict_transposed(std::size_t group) {
  const unsigned rows = item_of(group).rows;
  const std::uint32_t keys = plan_.groups[group].keys;
  Group& tiles = groups_[group];
  tiles.transposed = transposed_.tile("transposed", kBlock, kAttentionGroup, DType::kBf16);
  const unsigned blocks = keys / kBlock, rest = keys % kBlock;
  const auto part = [&](const Tile& tile, unsigned first, unsigned partitions, unsigned count) {
    if (rows == kBlock || count == 1) return tile.view(0, partitions, first, count * rows);
    return tile.view_2d(0, partitions, first, count, rows, kBlock);
  };
  if (blocks > 0) {
    kb_.tensor_copy(part(tiles.transposed, 0, kBlock, blocks), part(tiles.bank, 0, kBlock, blocks));
  }
  if (rest > 0) {
    kb_.tensor_copy(part(tiles.transposed, blocks * kBlock, rest, 1),
                    part(tiles.bank, blocks * kBlock, rest, 1));
  }
}

void AttentionBuilder::multiply_block(std::size_t group, std::uint32_t key) {
  const AttentionItem& item = item_of(group);
  const AttentionGroup& part = plan_.groups[group];
  Item& tiles = tiles_of(group);
  const bool first = part.begins_item && key == 0;
  if (first) tiles.product = product_banks_.tile("product", item.rows, spec_.d, DType::kFp32);
  const unsigned keys = std::min(kBlock, part.keys - key);
  kb_.load_stationary(groups_[group].transposed.view(0, keys, key, item.rows));
  ProductOptions options;
  options.accumulate = !first;
  kb_.multiply_moving(tiles.product,
                      tiles.values.view(0, keys, (part.first + key) / kBlock * spec_.d, spec_.d),
                      options);
}

Executable build_attention(const AttentionSpec& spec, const ChipConfig& chip,
                           const AttentionBeside& beside) {
  return AttentionBuilder(spec, chip).build(beside);
}

}  // namespace tern::kernels

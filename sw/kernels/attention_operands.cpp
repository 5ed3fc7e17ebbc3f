// SPDX-License-Identifier: Apache-2.0
// Operands of the attention kernel: queries, keys, values, the mask.
#include <utility>

#include "sw/kernels/attention_builder.h"

namespace tern::kernels {

namespace {

constexpr float kMasked = -1e30f;  // added to a score: its exponential is 0

}  // namespace

// mask[r, x] = x > r ? kMasked : 0, and the identity that adds it to scores.
void AttentionBuilder::make_mask() {
  mask_ = kb_.sbuf_tile("mask", kBlock, kBlock, DType::kBf16);
  identity_ = kb_.sbuf_tile("identity", kBlock, kBlock, DType::kBf16);
  const IndexPattern row_minus_column{0, 1, {-1}};
  kb_.memset(mask_, 0.0f, Engine::kGpsimd);
  kb_.affine_select(mask_, mask_, row_minus_column, Alu::kIsGe, kMasked);
  kb_.memset(identity_, 1.0f, Engine::kGpsimd);
  kb_.affine_select(identity_, identity_, row_minus_column, Alu::kIsEq, 0.0f);
}

void AttentionBuilder::add_mask(std::size_t group) {
  const AttentionItem& item = item_of(group);
  const AttentionGroup& part = plan_.groups[group];
  // The first row sees the keys up to `diagonal`, each further row one more.
  const std::uint64_t diagonal = item.query + spec_.keys - spec_.queries;
  bool loaded = false;
  for (std::size_t b = 0; b < groups_[group].banks.size(); ++b) {
    const Tile& bank = groups_[group].banks[b];
    const std::uint64_t begin = item.key + part.first + b * kPsumBankColumns;
    const std::uint64_t from = std::max(begin, diagonal);
    const std::uint64_t to = std::min(begin + bank.free, diagonal + kBlock);
    if (from >= to || to <= diagonal + 1) continue;
    if (!loaded) kb_.load_stationary(identity_.view(0, kBlock, 0, item.rows));
    loaded = true;
    const auto count = static_cast<unsigned>(to - from);
    ProductOptions add;
    add.accumulate = true;
    kb_.multiply_moving(bank.view(0, item.rows, static_cast<unsigned>(from - begin), count),
                        mask_.view(0, kBlock, static_cast<unsigned>(from - diagonal), count), add);
  }
}

void AttentionBuilder::begin_item(std::size_t group) {
  const AttentionItem& item = item_of(group);
  Item& tiles = tiles_of(group);
  load_queries(item, &tiles);
  load_chunk(item, &tiles);
  if (item.first) {
    State state{item.head, item.query,
                states_.tile("state", item.rows, kStateColumns, DType::kFp32),
                results_.tile("result", item.rows, spec_.d, DType::kFp32)};
    running_.push_back(state);
    tiles.state = state;
  } else {
    for (const State& state : running_) {
      if (state.head == item.head && state.query == item.query) tiles.state = state;
    }
  }
  if (item.last) {
    running_.erase(std::remove_if(running_.begin(), running_.end(),
                                  [&](const State& state) {
                                    return state.head == item.head && state.query == item.query;
                                  }),
                   running_.end());
  }
  tiles.columns = item_columns_.tile("item", item.rows, kItemColumns, DType::kFp32);
  if (on_vector()) tiles.scores = scores_.tile("scores", item.rows, item.keys, DType::kFp32);
}

// The queries of eight tiles at a time: longer rows for the DMA.
void AttentionBuilder::load_queries(const AttentionItem& item, Item* tiles) {
  const std::uint64_t first = item.query / AttentionPlan::kQueries * AttentionPlan::kQueries;
  if (loaded_query_ != first || loaded_head_ != item.head) {
    const auto count = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(AttentionPlan::kQueries, spec_.queries - first));
    query_tile_ = queries_.tile("q", spec_.d, count, DType::kBf16);
    load_rows(query_tile_, q_, item.head, first, count, item.rows);
    loaded_query_ = first;
    loaded_head_ = item.head;
  }
  tiles->queries = query_tile_;
  tiles->query_column = static_cast<std::uint32_t>(item.query - first);
}

// Columns [first, first + count) of one head of q or k. The program's first product need not wait
// for more than `head_start` of them: the rest is loaded after the first parts of both.
void AttentionBuilder::load_rows(const Tile& tile, const Tensor& tensor, std::uint64_t head,
                                 std::uint64_t first, std::uint32_t count,
                                 std::uint32_t head_start) {
  const auto load = [&](std::uint32_t from, std::uint32_t size) {
    kb_.dma_load(tile.view(0, spec_.d, from, size),
                 tensor.view(head * spec_.d, spec_.d, first + from, size));
  };
  const bool begins = head == 0 && first == 0 && head_start < count;
  if (!begins) return load(0, count);
  load(0, head_start);
  postponed_.push_back([this, tile, tensor, count, head_start] {
    kb_.dma_load(tile.view(0, spec_.d, head_start, count - head_start),
                 tensor.view(0, spec_.d, head_start, count - head_start));
  });
}
void AttentionBuilder::load_postponed() {
  for (; !postponed_.empty(); postponed_.pop_back()) postponed_.back()();
}

// K and V of a chunk stay as long as their pool has room.
void AttentionBuilder::load_chunk(const AttentionItem& item, Item* tiles) {
  for (const Chunk& chunk : loaded_) {
    if (chunk.head != item.head || chunk.key != item.key) continue;
    tiles->keys = chunk.keys;
    tiles->values = chunk.values;
    return;
  }
  const auto count =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(plan_.chunk, spec_.keys - item.key));
  Chunk chunk{item.head, item.key, {}, {}};
  chunk.keys = chunks_.tile("k", spec_.d, plan_.chunk_bytes(spec_) / 2, DType::kBf16);
  chunk.values = chunk.keys;
  chunk.keys.free = plan_.chunk;
  chunk.values.partitions = kPartitions;
  chunk.values.byte += 2 * plan_.chunk;
  chunk.values.free = plan_.chunk / kBlock * spec_.d;
  load_rows(chunk.keys, k_, item.head, item.key, count, kPsumBankColumns);
  load_postponed();
  const std::uint64_t row = item.head * spec_.keys + item.key;
  const std::uint32_t blocks = count / kBlock, rest = count % kBlock;
  if (blocks > 0) {
    kb_.dma_load(chunk.values.view_2d(0, kBlock, 0, blocks, spec_.d, spec_.d),
                 v_.slabs(row, kBlock, blocks, kBlock, 0, spec_.d));
  }
  if (rest > 0) {
    kb_.dma_load(chunk.values.view(0, rest, blocks * spec_.d, spec_.d),
                 v_.view(row + blocks * kBlock, rest, 0, spec_.d));
  }
  tiles->keys = chunk.keys;
  tiles->values = chunk.values;
  loaded_.push_back(chunk);
  if (loaded_.size() > plan_.buffers) loaded_.pop_front();
}

}  // namespace tern::kernels

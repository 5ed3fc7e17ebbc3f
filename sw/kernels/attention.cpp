// SPDX-License-Identifier: Apache-2.0
// Fused attention with an online softmax: how it walks and why, docs/decisions/0009-*.md.
#include "sw/kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <vector>

#include "sw/kernels/attention_plan.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/limits.h"

namespace tern::kernels {

namespace {

constexpr std::uint32_t kBlock = 128;       // keys of one transpose and one product with V
constexpr float kMasked = -1e30f;           // added to a score: its exponential is 0
constexpr unsigned kTransposeCycles = 160;  // that a transpose needs beside a running product

// Columns of an item's tile.
constexpr unsigned kMaximum = 0, kFactor = 2, kBias = 3, kSums = 4;  // maxima: one per bank
// Columns of a query tile's state: the running maximum after each chunk in turns (the one before is
// still needed when the next is known), the sum, its reciprocal.
constexpr unsigned kMaxima = 4, kSum = 4, kReciprocal = 5, kStateColumns = 6;

class AttentionBuilder {
 public:
  AttentionBuilder(const AttentionSpec& spec, const ChipConfig& chip)
      : spec_(spec), plan_(spec, chip), kb_("attention", chip), scale_(scale_of(spec)) {
    const std::uint64_t heads = spec.heads, d = spec.d;
    q_ = kb_.input("q", DType::kBf16, {heads, d, spec.queries});
    k_ = kb_.input("k", DType::kBf16, {heads, d, spec.keys});
    v_ = kb_.input("v", DType::kBf16, {heads, spec.keys, d});
    out_ = kb_.output("out", spec.output, {heads, spec.queries, d});
    const auto out_bytes = 4 * spec.d;
    queries_ = kb_.sbuf_pool("queries", 2, 2 * AttentionPlan::kQueries);
    chunks_ = kb_.sbuf_pool("chunks", plan_.buffers, plan_.chunk_bytes(spec));
    if (on_vector()) scores_ = kb_.sbuf_pool("scores", plan_.score_tiles(), 4 * kAttentionGroup);
    probabilities_ =
        kb_.sbuf_pool("probabilities", AttentionPlan::kProbabilityTiles, 2 * kAttentionGroup);
    transposed_ = kb_.sbuf_pool("transposed", AttentionPlan::kTransposedTiles, 2 * kAttentionGroup);
    item_columns_ =
        kb_.sbuf_pool("item columns", plan_.item_tiles(), 4 * AttentionPlan::kItemColumns);
    states_ = kb_.sbuf_pool("states", plan_.state_tiles(), 4 * kStateColumns);
    results_ = kb_.sbuf_pool("results", plan_.state_tiles(), out_bytes);
    outputs_ = kb_.sbuf_pool("outputs", AttentionPlan::kOutputTiles, out_bytes);
    score_banks_ = kb_.psum_pool("score banks", 4);
    transposed_banks_ = kb_.psum_pool("transposed banks", 2);
    product_banks_ = kb_.psum_pool("product banks", 2);
  }

  Executable build() {
    if (spec_.causal) make_mask();
    items_.resize(plan_.items.size());
    groups_.resize(plan_.groups.size());
    for (std::size_t step = 0; step < plan_.groups.size() + plan_.ends; ++step) emit(step);
    return kb_.finish();
  }

 private:
  // A query tile between its first and its last chunk.
  struct State {
    std::uint64_t head, query;
    Tile columns, result;
  };
  struct Item {
    std::optional<State> state;
    Tile queries, columns, product;
    std::uint32_t query_column = 0;  // in `queries`
    Tile keys, values;
  };
  struct Group {
    std::vector<Tile> banks;  // scores in PSUM
    Tile scores, probabilities, bank, transposed;
  };
  struct Chunk {
    std::uint64_t head, key;
    Tile keys, values;
  };

  static float scale_of(const AttentionSpec& spec) {
    return static_cast<float>(1 / std::sqrt(static_cast<double>(spec.d)));
  }
  bool on_vector() const { return spec_.exp == AttentionExp::kVector; }

  // Group `lag` steps back, if there is one.
  std::optional<std::size_t> at(std::size_t step, unsigned lag) const {
    if (step < lag || step - lag >= plan_.groups.size()) return {};
    return step - lag;
  }
  const AttentionItem& item_of(std::size_t group) const {
    return plan_.items[plan_.groups[group].item];
  }
  Item& tiles_of(std::size_t group) { return items_[plan_.groups[group].item]; }
  TileView column(const Tile& tile, std::size_t group, unsigned index) const {
    return tile.view(0, item_of(group).rows, index, 1);
  }

  // One step of the pipeline. The order of the calls is the order in each queue; every part uses
  // what another queue made in an earlier step.
  void emit(std::size_t step) {
    if (const auto g = at(step, 1)) find_maximum(*g);
    if (const auto g = at(step, plan_.evictions)) evict_transposed(*g);
    if (const auto g = at(step, plan_.products)) invert_sum(*g);
    if (const auto g = at(step, plan_.ends)) end(*g);
    if (const auto g = at(step, plan_.exponentials)) exponentials(*g);
    tensor_step(at(step, 0), at(step, plan_.transposes), at(step, plan_.products));
  }

  // mask[r, x] = x > r ? kMasked : 0, and the identity that adds it to scores.
  void make_mask() {
    mask_ = kb_.sbuf_tile("mask", kBlock, kBlock, DType::kBf16);
    identity_ = kb_.sbuf_tile("identity", kBlock, kBlock, DType::kBf16);
    const IndexPattern row_minus_column{0, 1, {-1}};
    kb_.memset(mask_, 0.0f, Engine::kGpsimd);
    kb_.affine_select(mask_, mask_, row_minus_column, Alu::kIsGe, kMasked);
    kb_.memset(identity_, 1.0f, Engine::kGpsimd);
    kb_.affine_select(identity_, identity_, row_minus_column, Alu::kIsEq, 0.0f);
  }

  void begin_item(std::size_t group) {
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
    tiles.columns =
        item_columns_.tile("item", item.rows, AttentionPlan::kItemColumns, DType::kFp32);
  }

  // The queries of eight tiles at a time: longer rows for the DMA.
  void load_queries(const AttentionItem& item, Item* tiles) {
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
  // for all of them.
  void load_rows(const Tile& tile, const Tensor& tensor, std::uint64_t head, std::uint64_t first,
                 std::uint32_t count, std::uint32_t head_start) {
    const bool begins = transfers_++ < 2;
    const std::uint32_t part = begins ? std::min(count, head_start) : count;
    for (const auto& [from, size] : {std::pair{0u, part}, std::pair{part, count - part}}) {
      if (size == 0) continue;
      kb_.dma_load(tile.view(0, spec_.d, from, size),
                   tensor.view(head * spec_.d, spec_.d, first + from, size));
    }
  }

  // K and V of a chunk stay as long as their pool has room.
  void load_chunk(const AttentionItem& item, Item* tiles) {
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

  // Tensor queue: the scores of one group with transposes of another beside them, then products of
  // a third with the rest of the transposes in between.
  void tensor_step(std::optional<std::size_t> scores, std::optional<std::size_t> transposes,
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
    }
    if (products) {
      for (std::uint32_t key = 0; key < plan_.groups[*products].keys; key += kBlock) {
        multiply_block(*products, key);
        transpose(1);
      }
    }
    transpose(kAttentionGroup / kBlock);
  }

  void add_mask(std::size_t group) {
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
                          mask_.view(0, kBlock, static_cast<unsigned>(from - diagonal), count),
                          add);
    }
  }

  // Scalar: out of PSUM, scaled; the maximum of the item on the way.
  void evict_scores(std::size_t group) {
    const AttentionItem& item = item_of(group);
    const AttentionGroup& part = plan_.groups[group];
    Group& tiles = groups_[group];
    tiles.scores = scores_.tile("scores", item.rows, part.keys, DType::kFp32);
    unsigned first = 0;
    for (const Tile& bank : tiles.banks) {
      const bool starts = part.begins_item && first == 0;
      const bool ends = part.ends_item && first + bank.free == part.keys;
      Reduce maximum{Alu::kMax, {}, starts ? ReduceCommand::kResetReduce : ReduceCommand::kReduce};
      if (ends) maximum.column = maximum_of_chunk(group);
      ScalarOptions options;
      options.engine = Engine::kScalar;
      options.reduce = maximum;
      kb_.activate2(tiles.scores.view(0, item.rows, first, bank.free), bank, Alu::kMultiply, scale_,
                    Alu::kBypass, 0.0f, options);
      first += bank.free;
    }
  }

  TileView running_maximum(std::size_t group, unsigned turn) {
    return column(tiles_of(group).state->columns, group, turn % kMaxima);
  }
  TileView maximum_of_chunk(std::size_t group) {
    const AttentionItem& item = item_of(group);
    return item.first ? running_maximum(group, item.turn)
                      : column(tiles_of(group).columns, group, kMaximum);
  }

  // The maximum so far. Columns are GpSimd's: it has the time.
  void find_maximum(std::size_t group) {
    if (!plan_.groups[group].ends_item) return;
    const AttentionItem& item = item_of(group);
    const TileView now = running_maximum(group, item.turn);
    if (!on_vector()) reduce_banks(group);
    if (!item.first) {
      kb_.tensor_tensor(now, running_maximum(group, item.turn - 1), Alu::kMax,
                        maximum_of_chunk(group), Engine::kGpsimd);
    }
    if (on_vector()) return;
    ScalarOptions options;
    options.engine = Engine::kGpsimd;
    kb_.tensor_scalar(column(tiles_of(group).columns, group, kBias), now, Alu::kMultiply, -scale_,
                      Alu::kBypass, 0.0f, options);
  }

  void reduce_banks(std::size_t group) {
    const std::vector<Tile>& banks = groups_[group].banks;
    const Tile& columns = tiles_of(group).columns;
    if (banks.size() == 1) {
      kb_.tensor_reduce(maximum_of_chunk(group), Alu::kMax, banks[0]);
      return;
    }
    for (unsigned b = 0; b < banks.size(); ++b) {
      kb_.tensor_reduce(column(columns, group, kMaximum + b), Alu::kMax, banks[b]);
    }
    kb_.tensor_tensor(maximum_of_chunk(group), column(columns, group, kMaximum), Alu::kMax,
                      column(columns, group, kMaximum + 1), Engine::kGpsimd);
  }

  // Probabilities, not yet divided by their sum; their sum; the factor that corrects what was
  // computed with an earlier maximum.
  void exponentials(std::size_t group) {
    const AttentionItem& item = item_of(group);
    const AttentionGroup& part = plan_.groups[group];
    Group& tiles = groups_[group];
    const TileView now = running_maximum(group, item.turn);
    const unsigned number = part.first / kAttentionGroup;
    const Reduce sum{Alu::kAdd, column(tiles_of(group).columns, group, kSums + number)};
    tiles.probabilities = probabilities_.tile("probabilities", item.rows, part.keys, DType::kBf16);
    if (on_vector()) {
      kb_.exponential(tiles.probabilities, tiles.scores, now, sum);
    } else {
      scalar_exponentials(group, sum);
    }
    if (!part.ends_item) return;
    if (!item.first) {
      const TileView before = running_maximum(group, item.turn - 1);
      const TileView factor = column(tiles_of(group).columns, group, kFactor);
      if (on_vector()) {
        kb_.exponential(factor, before, now);
      } else {
        kb_.activation(factor, Activation::kExp, before, scale_,
                       column(tiles_of(group).columns, group, kBias));
      }
    }
    add_sums(group, number + 1);
  }

  void scalar_exponentials(std::size_t group, Reduce sum) {
    const AttentionItem& item = item_of(group);
    Group& tiles = groups_[group];
    unsigned first = 0;
    for (const Tile& bank : tiles.banks) {
      ActivationOptions options;
      options.scale = scale_;
      options.bias = column(tiles_of(group).columns, group, kBias);
      sum.command = first == 0 ? ReduceCommand::kResetReduce : ReduceCommand::kReduce;
      sum.store = first + bank.free == tiles.probabilities.free;
      options.reduce = sum;
      kb_.activation(tiles.probabilities.view(0, item.rows, first, bank.free), Activation::kExp,
                     bank, options);
      first += bank.free;
    }
  }

  // sum = sum * factor + the sums of the groups, two operations at a time.
  void add_sums(std::size_t group, unsigned count) {
    const Tile& columns = tiles_of(group).columns;
    const TileView total = column(tiles_of(group).state->columns, group, kSum);
    ScalarOptions options;
    options.engine = Engine::kGpsimd;
    unsigned next = 0;
    if (item_of(group).first) {
      kb_.tensor_copy(total, column(columns, group, kSums), Engine::kGpsimd);
    } else {
      kb_.tensor_scalar(total, total, Alu::kMultiply, column(columns, group, kFactor), Alu::kAdd,
                        column(columns, group, kSums), options);
    }
    for (next = 1; next < count; ++next) {
      kb_.tensor_scalar(total, total, Alu::kAdd, column(columns, group, kSums + next), Alu::kBypass,
                        0.0f, options);
    }
  }

  void transpose_block(std::size_t group, std::uint32_t key) {
    const unsigned rows = item_of(group).rows;
    Group& tiles = groups_[group];
    if (key == 0) {
      tiles.bank = transposed_banks_.tile("transposed", kBlock, kAttentionGroup, DType::kBf16);
    }
    const unsigned keys = std::min(kBlock, plan_.groups[group].keys - key);
    kb_.nc_transpose(tiles.bank.view(0, keys, key, rows),
                     tiles.probabilities.view(0, rows, key, keys));
  }

  // Vector: two elements a cycle, 16 bits out of PSUM.
  void evict_transposed(std::size_t group) {
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
      kb_.tensor_copy(part(tiles.transposed, 0, kBlock, blocks),
                      part(tiles.bank, 0, kBlock, blocks));
    }
    if (rest > 0) {
      kb_.tensor_copy(part(tiles.transposed, blocks * kBlock, rest, 1),
                      part(tiles.bank, blocks * kBlock, rest, 1));
    }
  }

  void multiply_block(std::size_t group, std::uint32_t key) {
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

  void invert_sum(std::size_t group) {
    if (!plan_.groups[group].ends_item || !item_of(group).last) return;
    const Tile& columns = tiles_of(group).state->columns;
    kb_.reciprocal(column(columns, group, kReciprocal), column(columns, group, kSum));
  }

  // The product of a chunk joins those before it; the last one is divided by the sum and stored.
  void end(std::size_t group) {
    if (!plan_.groups[group].ends_item) return;
    const AttentionItem& item = item_of(group);
    const Item& tiles = tiles_of(group);
    const State& state = *tiles.state;
    if (!item.first) {
      kb_.scalar_tensor_tensor(state.result, state.result, Alu::kMultiply,
                               column(tiles.columns, group, kFactor), Alu::kAdd, tiles.product);
    } else if (!item.last) {
      kb_.tensor_copy(state.result, tiles.product, Engine::kScalar);
    }
    if (!item.last) return;
    const Tile out = outputs_.tile("out", item.rows, spec_.d, spec_.output);
    const TileView reciprocal = column(state.columns, group, kReciprocal);
    if (item.first) {
      ActivationOptions options;
      options.scale = reciprocal;
      kb_.activation(out, Activation::kIdentity, tiles.product, options);
    } else {
      ScalarOptions options;
      options.engine = Engine::kGpsimd;
      kb_.tensor_scalar(out, state.result, Alu::kMultiply, reciprocal, Alu::kBypass, 0.0f, options);
    }
    kb_.dma_store(out_.view(item.head * spec_.queries + item.query, item.rows, 0, spec_.d), out);
  }

  AttentionSpec spec_;
  AttentionPlan plan_;
  KernelBuilder kb_;
  float scale_;
  Tensor q_, k_, v_, out_;
  TilePool queries_, chunks_, scores_, probabilities_, transposed_, item_columns_, states_,
      results_, outputs_, score_banks_, transposed_banks_, product_banks_;
  Tile mask_, identity_, query_tile_;
  std::uint64_t loaded_query_ = ~std::uint64_t{0}, loaded_head_ = 0;
  unsigned transfers_ = 0;
  std::vector<Item> items_;
  std::vector<Group> groups_;
  std::deque<State> running_;
  std::deque<Chunk> loaded_;
};

}  // namespace

Executable build_attention(const AttentionSpec& spec, const ChipConfig& chip) {
  return AttentionBuilder(spec, chip).build();
}

}  // namespace tern::kernels

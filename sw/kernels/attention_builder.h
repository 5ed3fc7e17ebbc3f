// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "sw/kernels/attention_plan.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/memory/limits.h"

namespace tern::kernels {

// Writes the program of the attention kernel. How it walks and why: docs/decisions/0009-*.md.
class AttentionBuilder {
 public:
  AttentionBuilder(const AttentionSpec& spec, const ChipConfig& chip);
  Executable build(const AttentionBeside& beside);

 private:
  // A query tile between its first and its last chunk.
  struct State {
    std::uint64_t head, query;
    Tile columns, result;
  };
  struct Item {
    std::optional<State> state;
    Tile queries, columns, product;
    Tile scores, probabilities;
    std::uint32_t query_column = 0;  // in `queries`
    Tile keys, values;
  };
  struct Group {
    std::vector<Tile> banks;  // scores in PSUM
    Tile bank, transposed;
  };
  struct Chunk {
    std::uint64_t head, key;
    Tile keys, values;
  };

  static constexpr std::uint32_t kBlock = 128;  // keys of one transpose and one product with V
  // Columns of an item's tile: the maximum (kScalar: of each bank), minus the scaled running
  // maximum, the factor of the earlier results, the sum.
  static constexpr unsigned kMaximum = 0, kBias = 2, kFactor = 3, kItemSum = 4, kItemColumns = 5;
  // Columns of a query tile's state: the running maximum after each chunk, alternating (the old
  // one is still needed when the next is known), the running sum, its reciprocal.
  static constexpr unsigned kMaxima = 4, kSum = 4, kReciprocal = 5, kStateColumns = 6;

  bool on_vector() const { return spec_.exp == AttentionExp::kVector; }

  // Group `lag` steps back, if it exists.
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
  TileView running_maximum(std::size_t group, unsigned chunk) {
    return column(tiles_of(group).state->columns, group, chunk % kMaxima);
  }
  TileView item_column(std::size_t group, unsigned index) {
    return column(tiles_of(group).columns, group, index);
  }
  TileView maximum_of_chunk(std::size_t group) {
    const AttentionItem& item = item_of(group);
    return item.first ? running_maximum(group, item.chunk) : item_column(group, kMaximum);
  }

  // attention.cpp
  void emit(std::size_t step);
  void tensor_step(std::optional<std::size_t> scores, std::optional<std::size_t> transposes,
                   std::optional<std::size_t> products);
  void transpose_block(std::size_t group, std::uint32_t key);
  void evict_transposed(std::size_t group);
  void multiply_block(std::size_t group, std::uint32_t key);
  // attention_operands.cpp
  void make_mask();
  void add_mask(std::size_t group);
  void begin_item(std::size_t group);
  void load_queries(const AttentionItem& item, Item* tiles);
  void load_rows(const Tile& tile, const Tensor& tensor, std::uint64_t head, std::uint64_t first,
                 std::uint32_t count, std::uint32_t head_start);
  void load_postponed();
  void load_chunk(const AttentionItem& item, Item* tiles);
  // attention_softmax.cpp
  void evict_scores(std::size_t group);
  void find_maximum(std::size_t group);
  void reduce_banks(std::size_t group);
  void exponentials(std::size_t group);
  void scalar_exponentials(std::size_t group, Reduce sum);
  void add_sum(std::size_t group);
  void invert_sum(std::size_t group);
  void end(std::size_t group);
  void divide(std::size_t group);
  void store(std::size_t group, const TileView& result);

  AttentionSpec spec_;
  AttentionPlan plan_;
  KernelBuilder kb_;
  float scale_;
  Tensor q_, k_, v_, out_;
  TilePool queries_, chunks_, scores_, probabilities_, transposed_, item_columns_, states_,
      results_, outputs_, score_banks_, transposed_banks_, product_banks_;
  Tile mask_, identity_, query_tile_;
  std::uint64_t loaded_query_ = ~std::uint64_t{0}, loaded_head_ = 0;
  std::vector<std::function<void()>> postponed_;
  std::vector<Item> items_;
  std::vector<Group> groups_;
  std::deque<State> running_;
  std::deque<Chunk> loaded_;
};

}  // namespace tern::kernels

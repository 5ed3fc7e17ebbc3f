// SPDX-License-Identifier: Apache-2.0
// Grouped products of the experts: up to 512 tokens of one expert at a time, in blocks of 128.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sw/base/math.h"
#include "sw/base/user_error.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/moe/moe.h"

namespace tern::kernels {

namespace {

constexpr std::uint32_t kBlock = kPartitions, kGroup = kMaxMoving;
constexpr unsigned kAhead = 2;  // groups whose tokens are in flight

class MoeExperts {
 public:
  MoeExperts(const MoeSpec& spec, MoeTokens tokens, const std::vector<std::uint32_t>& counts,
             const ChipConfig& chip)
      : spec_(spec), indexed_(tokens == MoeTokens::kIndexed), kb_("moe_experts", chip) {
    std::uint32_t row = 0;
    for (std::uint32_t e = 0; e < spec.experts; ++e) {
      for (std::uint32_t first = 0; first < counts[e]; first += kGroup)
        groups_.push_back({e, first, std::min(kGroup, counts[e] - first), row + first});
      row += counts[e];
    }
    if (row != spec.assignments()) {
      throw RunError(
          fmt::format("moe: the gate counts {} choices, expected {}", row, spec.assignments()));
    }
  }

  Executable build() {
    make_tensors();
    make_pools();
    if (indexed_) load_lists();
    load_weights(0);
    for (std::size_t g = 0; g < std::min<std::size_t>(kAhead, groups_.size()); ++g) fetch(g);
    if (indexed_) clear_output();
    transpose(0);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (g == 0 || groups_[g].expert != groups_[g - 1].expert) load_next_weights(g);
      hidden_layer(g);
      if (g + kAhead < groups_.size()) fetch(g + kAhead);
      // While Scalar applies the function to the last hidden tiles.
      if (g + 1 < groups_.size()) transpose(g + 1);
      output_layer(g);
      groups_[g].rows.clear();
    }
    return kb_.finish();
  }

 private:
  // Tokens of one expert.
  struct Group {
    std::uint32_t expert, first, count;  // in its list
    std::uint32_t row;                   // in the permuted matrix
    struct Rows {
      Tile x, weight;
    };
    std::vector<Rows> rows = {};  // one per block
    Tile x_transposed = {}, hidden = {};

    std::uint32_t blocks() const { return ceil_div(count, kBlock); }
    std::uint32_t block_count(std::uint32_t b) const {
      return std::min(kBlock, count - b * kBlock);
    }
  };
  struct Weights {
    Tile w1, w2;  // slabs of 128 rows side by side
  };

  std::uint32_t slabs() const { return spec_.width / kPartitions; }
  std::uint32_t hidden_slabs() const { return spec_.hidden / kPartitions; }

  void make_tensors() {
    const MoeSpec& s = spec_;
    w1_ = kb_.weight("w1", DType::kBf16, {s.experts * s.width, s.hidden});
    w2_ = kb_.weight("w2", DType::kBf16, {s.experts * s.hidden, s.width});
    if (indexed_) {
      x_ = kb_.input("x", DType::kBf16, {s.tokens, s.width});
      gates_ = kb_.input("gates", DType::kFp32, {s.tokens, s.experts});
      lists_ = kb_.input("lists", DType::kInt32,
                         {s.experts * s.list_entries() / kPartitions, kPartitions});
      out_ = kb_.output("out", DType::kFp32, {s.tokens, s.width});
    } else {
      x_ = kb_.input("xp", DType::kBf16, {s.assignments(), s.width});
      out_ = kb_.output("y", DType::kFp32, {s.assignments(), s.width});
    }
  }

  void make_pools() {
    constexpr unsigned kBlocks = kGroup / kBlock;
    w1_pool_ = kb_.sbuf_pool("w1", 2, 2 * slabs() * spec_.hidden);
    w2_pool_ = kb_.sbuf_pool("w2", 2, 2 * hidden_slabs() * spec_.width);
    x_pool_ = kb_.sbuf_pool("x", (kAhead + 1) * kBlocks, 2 * spec_.width);
    weight_pool_ = kb_.sbuf_pool("weights", (kAhead + 2) * kBlocks, 4);
    xt_pool_ = kb_.sbuf_pool("x transposed", 2, 2 * slabs() * kGroup);
    hidden_ = kb_.sbuf_pool("hidden", 2, 2 * hidden_slabs() * kGroup);
    results_ = kb_.sbuf_pool("results", 2 * kBlocks, 4 * spec_.width);
    banks_ = kb_.psum_pool("banks", kPsumBanks);
  }

  // Entry 128 i + p of an expert's list in column i of partition p, transposed in transit.
  void load_lists() {
    const std::uint32_t each = spec_.list_entries() / kPartitions;
    list_ = kb_.sbuf_tile("lists", kPartitions, spec_.experts * each, DType::kInt32);
    std::uint32_t last = spec_.experts;
    for (const Group& group : groups_) {
      if (group.expert == last) continue;
      last = group.expert;
      kb_.dma_transpose(list_.view(0, kPartitions, last * each, each),
                        lists_.view(last * each, each, 0, kPartitions));
    }
  }

  void clear_output() {
    const Tile zeros = kb_.sbuf_tile("zeros", kPartitions, spec_.width, DType::kFp32);
    kb_.memset(zeros, 0.0f);
    for (std::uint32_t row = 0; row < spec_.tokens; row += kPartitions)
      kb_.dma_store(out_.view(row, kPartitions, 0, spec_.width), zeros, kMadeByHost);
  }

  void load_weights(std::size_t g) {
    const std::uint32_t e = groups_[g].expert, h = spec_.hidden, d = spec_.width;
    Weights& to = weights_[e];
    to.w1 = w1_pool_.tile("w1", kPartitions, slabs() * h, DType::kBf16);
    to.w2 = w2_pool_.tile("w2", kPartitions, hidden_slabs() * d, DType::kBf16);
    // Slab by slab: the first product waits for the first slab only.
    for (std::uint32_t i = 0; i < slabs(); ++i) {
      kb_.dma_load(to.w1.view(0, kPartitions, i * h, h),
                   w1_.view(e * d + i * kPartitions, kPartitions, 0, h));
    }
    for (std::uint32_t i = 0; i < hidden_slabs(); ++i) {
      kb_.dma_load(to.w2.view(0, kPartitions, i * d, d),
                   w2_.view(e * h + i * kPartitions, kPartitions, 0, d));
    }
  }

  void load_next_weights(std::size_t g) {
    for (std::size_t next = g + 1; next < groups_.size(); ++next) {
      if (groups_[next].expert == groups_[g].expert) continue;
      return load_weights(next);
    }
  }

  // Rows of tokens into SBUF: by their numbers in the list, or in memory order.
  void fetch(std::size_t g) {
    Group& group = groups_[g];
    for (std::uint32_t b = 0; b < group.blocks(); ++b) {
      const std::uint32_t count = group.block_count(b);
      Group::Rows rows;
      rows.x = x_pool_.tile("x", count, spec_.width, DType::kBf16);
      if (indexed_) {
        rows.weight = weight_pool_.tile("weight", count, 1, DType::kFp32);
        const TileView index = indices(group, b);
        kb_.dma_gather(rows.x, x_.view(0, x_.rows, 0, spec_.width), index, urgent());
        kb_.dma_gather(rows.weight, gates_.view(0, gates_.rows, group.expert, 1), index, urgent());
      } else {
        kb_.dma_load(rows.x, x_.view(group.row + b * kBlock, count, 0, spec_.width));
      }
      group.rows.push_back(rows);
    }
  }

  // Before weights of later experts and the clearing of `out`.
  static IndirectOptions urgent() {
    IndirectOptions options;
    options.priority = 0;
    return options;
  }

  TileView indices(const Group& group, std::uint32_t b) const {
    const std::uint32_t each = spec_.list_entries() / kPartitions;
    return list_.view(0, group.block_count(b), group.expert * each + group.first / kBlock + b, 1);
  }

  // Features to partitions, by the tensor engine.
  void transpose(std::size_t g) {
    Group& group = groups_[g];
    group.x_transposed = xt_pool_.tile("x transposed", kPartitions, slabs() * kGroup, DType::kBf16);
    for (std::uint32_t b = 0; b < group.blocks(); ++b) {
      const std::uint32_t count = group.block_count(b);
      const Tile bank = banks_.tile("transposed", kPartitions, spec_.width, DType::kBf16);
      for (std::uint32_t s = 0; s < slabs(); ++s) {
        kb_.nc_transpose(bank.view(0, kPartitions, s * kBlock, count),
                         group.rows[b].x.view(0, count, s * kBlock, kBlock));
      }
      kb_.tensor_copy(
          group.x_transposed.view_2d(0, kPartitions, b * kBlock, slabs(), count, kGroup),
          bank.view_2d(0, kPartitions, 0, slabs(), count, kBlock));
    }
  }

  // hidden [features, tokens] = f(W1^T x)
  void hidden_layer(std::size_t g) {
    Group& group = groups_[g];
    const Tile& w1 = weights_[group.expert].w1;
    group.hidden = hidden_.tile("hidden", kPartitions, hidden_slabs() * kGroup, DType::kBf16);
    for (std::uint32_t h = 0; h < hidden_slabs(); ++h) {
      const Tile sum = banks_.tile("hidden sum", kPartitions, group.count, DType::kFp32);
      for (std::uint32_t s = 0; s < slabs(); ++s) {
        kb_.load_stationary(
            w1.view(0, kPartitions, s * spec_.hidden + h * kPartitions, kPartitions));
        kb_.multiply_moving(sum, group.x_transposed.view(0, kPartitions, s * kGroup, group.count),
                            {s > 0});
      }
      kb_.activation(group.hidden.view(0, kPartitions, h * kGroup, group.count), spec_.function,
                     sum, 1.0f);
    }
  }

  // y [tokens, width] = hidden^T W2: tokens end up on partitions, as at the start.
  void output_layer(std::size_t g) {
    Group& group = groups_[g];
    const Tile& w2 = weights_[group.expert].w2;
    for (std::uint32_t b = 0; b < group.blocks(); ++b) {
      const std::uint32_t count = group.block_count(b);
      const Tile y = results_.tile("y", count, spec_.width, DType::kFp32);
      for (std::uint32_t first = 0; first < spec_.width; first += kMaxMoving) {
        const std::uint32_t columns = std::min(kMaxMoving, spec_.width - first);
        const Tile sum = banks_.tile("sum", count, columns, DType::kFp32);
        for (std::uint32_t h = 0; h < hidden_slabs(); ++h) {
          kb_.load_stationary(group.hidden.view(0, kPartitions, h * kGroup + b * kBlock, count));
          kb_.multiply_moving(sum, w2.view(0, kPartitions, h * spec_.width + first, columns),
                              {h > 0});
        }
        const TileView to = y.view(0, count, first, columns);
        if (indexed_) {
          kb_.tensor_scalar(to, sum, Alu::kMultiply, group.rows[b].weight);
        } else {
          kb_.tensor_copy(to, sum);
        }
      }
      store(g, b, y);
    }
  }

  void store(std::size_t g, std::uint32_t b, const Tile& y) {
    const Group& group = groups_[g];
    const std::uint32_t row = group.row + b * kBlock;
    if (!indexed_) {
      return kb_.dma_store(out_.view(row, y.partitions, 0, spec_.width), y);
    }
    // An expert has each token once. The next one begins when this one's sums are in memory.
    IndirectOptions options = urgent();
    options.accumulate = true;
    options.distinct = group.first + b > 0;
    kb_.dma_scatter(out_.view(0, out_.rows, 0, spec_.width), y, indices(group, b), options);
  }

  const MoeSpec spec_;
  const bool indexed_;
  KernelBuilder kb_;
  std::vector<Group> groups_;
  Tensor x_, gates_, lists_, w1_, w2_, out_;
  TilePool w1_pool_, w2_pool_, x_pool_, weight_pool_, xt_pool_, hidden_, results_, banks_;
  std::map<std::uint32_t, Weights> weights_;  // by expert; the last two are in SBUF
  Tile list_;
};

}  // namespace

Executable build_moe_experts(const MoeSpec& spec, MoeTokens tokens,
                             const std::vector<std::uint32_t>& counts, const ChipConfig& chip) {
  return MoeExperts(spec, tokens, counts, chip).build();
}

}  // namespace tern::kernels

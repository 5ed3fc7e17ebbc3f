// SPDX-License-Identifier: Apache-2.0
// Gate of a mixture of experts: logits, the top_k experts of each token and their weights.
#include <algorithm>
#include <vector>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/moe/moe.h"
#include "sw/kernels/moe/moe_gate_lists.h"

namespace tern::kernels {

namespace {

constexpr unsigned kFound = 8;  // of one search
constexpr float kNone = -3.0e38f;

class MoeGate {
 public:
  MoeGate(const MoeSpec& spec, const ChipConfig& chip)
      : spec_(spec),
        blocks_(spec.blocks()),
        searched_(std::max(kFound, spec.experts)),
        kb_("moe_gate", chip) {}

  Executable build(MoeTokens tokens) {
    logits_ = tile("logits", searched_);
    make_logits();
    choose();
    weigh();
    MoeChoice choice;
    choice.mask = mask_;
    choice.gates = gates_;
    choice.numbers = numbers_;
    choice.chosen = ascending();
    count(&choice);
    if (tokens == MoeTokens::kIndexed) {
      store_moe_lists(kb_, spec_, choice);
    } else {
      store_moe_slots(kb_, spec_, choice);
    }
    return kb_.finish();
  }

 private:
  Tile tile(const char* name, std::uint32_t each, DType dtype = DType::kFp32) {
    return kb_.sbuf_tile(name, kPartitions, blocks_ * each, dtype);
  }
  // The first `count` of every 8: [blocks, count].
  TileView first(const Tile& of, std::uint32_t count) const {
    return of.view_2d(0, kPartitions, 0, blocks_, count, kFound);
  }
  // Number k of every 8, `count` times: [blocks, count].
  TileView spread(const Tile& of, std::uint32_t k, std::uint32_t count) const {
    return of.pattern(0, kPartitions, k, {{blocks_, kFound}, {count, 0}});
  }

  // Tokens on partitions: logits = x gate_weight + bias. The products need x with features on
  // partitions: blocks of 128 x 128, transposed by the tensor engine.
  void make_logits() {
    const std::uint32_t slabs = spec_.width / kMaxContraction, experts = spec_.experts;
    const Tensor x = kb_.input("x", DType::kBf16, {spec_.tokens, spec_.width});
    const Tensor weight = kb_.weight("gate_weight", DType::kBf16, {spec_.width, experts});
    const Tensor bias = kb_.weight("gate_bias", DType::kFp32, {1, experts});
    const Tile w = kb_.sbuf_tile("gate_weight", kPartitions, slabs * experts, DType::kBf16);
    const Tile b = kb_.sbuf_tile("gate_bias", kPartitions, experts, DType::kFp32);
    kb_.dma_load(w.view_2d(0, kPartitions, 0, slabs, experts, experts),
                 weight.slabs(0, kPartitions, slabs, kPartitions, 0, experts));
    kb_.dma_load(b, bias.replicated(0, kPartitions, 0, experts));
    if (experts < kFound) kb_.memset(logits_, kNone);
    TilePool rows = kb_.sbuf_pool("x", 6, 2 * spec_.width);
    TilePool transposed = kb_.sbuf_pool("x transposed", 3, 2 * spec_.width);
    TilePool banks = kb_.psum_pool("transposed", 3);
    TilePool sums = kb_.psum_pool("sums", 2);
    std::vector<Tile> xt(blocks_);
    const auto transpose = [&](std::uint32_t block) {
      const Tile in = rows.tile("x", kPartitions, spec_.width, DType::kBf16);
      kb_.dma_load(in, moe_block(x, spec_, block), kMadeByHost);
      const Tile bank = banks.tile("transposed", kPartitions, spec_.width, DType::kBf16);
      for (std::uint32_t s = 0; s < slabs; ++s) {
        kb_.nc_transpose(bank.view(0, kPartitions, s * kPartitions, kPartitions),
                         in.view(0, kPartitions, s * kPartitions, kPartitions));
      }
      xt[block] = transposed.tile("x transposed", kPartitions, spec_.width, DType::kBf16);
      kb_.tensor_copy(xt[block], bank);
    };
    transpose(0);
    for (std::uint32_t block = 0; block < blocks_; ++block) {
      if (block + 1 < blocks_) transpose(block + 1);  // while this one's copy is made
      const Tile sum = sums.tile("sum", kPartitions, experts, DType::kFp32);
      for (std::uint32_t s = 0; s < slabs; ++s) {
        kb_.load_stationary(xt[block].view(0, kPartitions, s * kPartitions, kPartitions));
        kb_.multiply_moving(sum, w.view(0, kPartitions, s * experts, experts), {s > 0});
      }
      kb_.tensor_tensor(logits_.view(0, kPartitions, block * searched_, experts), sum, Alu::kAdd,
                        b);
    }
  }

  // The eight largest logits of each token, descending, and their experts.
  void choose() {
    top_ = tile("top", kFound);
    const Tile index = tile("index", kFound, DType::kUint32);
    index_ = tile("index fp32", kFound);
    const auto logits = [&](std::uint32_t b) {
      return logits_.view(0, kPartitions, b * searched_, searched_);
    };
    const auto eight = [&](const Tile& of, std::uint32_t b) {
      return of.view(0, kPartitions, b * kFound, kFound);
    };
    for (std::uint32_t b = 0; b < blocks_; ++b) kb_.max8(eight(top_, b), logits(b));
    for (std::uint32_t b = 0; b < blocks_; ++b)
      kb_.nc_find_index8(eight(index, b), logits(b), eight(top_, b));
    kb_.tensor_copy(first(index_, spec_.top_k), first(index, spec_.top_k));
  }

  // Softmax over the chosen logits: that over all experts, divided by the sum of the chosen, whose
  // common denominator cancels. Then, expert by expert, the weights at their positions.
  void weigh() {
    const std::uint32_t k = spec_.top_k, experts = spec_.experts;
    const Tile e = tile("exponentials", kFound), sum = tile("sum", 1), inverse = tile("1/sum", 1);
    kb_.tensor_tensor(first(e, k), first(top_, k), Alu::kSubtract, spread(top_, 0, k));
    kb_.activation(first(e, k), Activation::kExp, first(e, k));
    kb_.tensor_reduce(sum, Alu::kAdd, first(e, k));
    kb_.reciprocal(inverse, sum);
    kb_.tensor_tensor(first(e, k), first(e, k), Alu::kMultiply, inverse.view().each_repeated(k));

    mask_ = tile("mask", experts);
    gates_ = tile("gates", experts);
    numbers_ = kb_.sbuf_tile("numbers", kPartitions, experts, DType::kFp32);
    kb_.iota(numbers_, {});
    kb_.memset(gates_, 0.0f);
    const auto shaped = [&](const Tile& of) {
      return of.view_2d(0, kPartitions, 0, blocks_, experts, experts);
    };
    const Tile hot = tile("hot", experts), part = tile("part", experts);
    for (std::uint32_t i = 0; i < k; ++i) {
      const Tile& one = i == 0 ? mask_ : hot;
      kb_.tensor_tensor(shaped(one), numbers_.view().repeated(blocks_), Alu::kIsEq,
                        spread(index_, i, experts));
      kb_.tensor_tensor(shaped(part), shaped(one), Alu::kMultiply, spread(e, i, experts));
      kb_.tensor_tensor(gates_, gates_, Alu::kAdd, part);
      if (i > 0) kb_.tensor_tensor(mask_, mask_, Alu::kAdd, hot);
    }
    const Tensor gates = kb_.output("gates", DType::kFp32, {spec_.tokens, experts});
    kb_.dma_store(gates.rows_on_partitions(0, kPartitions, blocks_), gates_);
  }

  // Of the chosen experts' negated numbers the largest come first: ascending experts.
  Tile ascending() {
    const std::uint32_t k = spec_.top_k;
    const Tile negated = tile("negated", kFound), sorted = tile("sorted", kFound);
    kb_.memset(negated, kNone);
    kb_.tensor_scalar(first(negated, k), first(index_, k), Alu::kMultiply, -1.0f);
    for (std::uint32_t b = 0; b < blocks_; ++b) {
      kb_.max8(sorted.view(0, kPartitions, b * kFound, kFound),
               negated.view(0, kPartitions, b * kFound, kFound));
    }
    const Tile result = tile("chosen", k);
    kb_.tensor_scalar(result.view_2d(0, kPartitions, 0, blocks_, k, k), first(sorted, k),
                      Alu::kMultiply, -1.0f);
    const Tensor chosen = kb_.output("chosen", DType::kFp32, {spec_.tokens, k});
    kb_.dma_store(chosen.rows_on_partitions(0, kPartitions, blocks_), result);
    return sorted;
  }

  // A product with ones adds over the partitions and leaves the sum on each. At most 256 hits of a
  // partition: BF16 holds them.
  void count(MoeChoice* choice) {
    const std::uint32_t experts = spec_.experts;
    choice->hits = kb_.sbuf_tile("hits", kPartitions, experts, DType::kBf16);
    choice->totals = kb_.sbuf_tile("totals", kPartitions, experts, DType::kFp32);
    kb_.tensor_reduce(choice->hits, Alu::kAdd,
                      mask_.pattern(0, kPartitions, 0,
                                    {{experts, 1}, {blocks_, static_cast<std::int32_t>(experts)}}));
    const Tile ones = kb_.sbuf_tile("ones", kPartitions, kPartitions, DType::kBf16);
    kb_.memset(ones, 1.0f);
    const Tile sum = kb_.psum_tile("totals", kPartitions, experts);
    kb_.nc_matmul(sum, ones, choice->hits);
    kb_.tensor_copy(choice->totals, sum);
    const Tensor counts = kb_.output("counts", DType::kFp32, {1, experts});
    kb_.dma_store(counts.view(0, 1, 0, experts), choice->totals.view(0, 1, 0, experts));
  }

  const MoeSpec spec_;
  const std::uint32_t blocks_, searched_;
  KernelBuilder kb_;
  Tile logits_, top_, index_, mask_, gates_, numbers_;
};

}  // namespace

Executable build_moe_gate(const MoeSpec& spec, MoeTokens tokens, const ChipConfig& chip) {
  return MoeGate(spec, chip).build(tokens);
}

}  // namespace tern::kernels

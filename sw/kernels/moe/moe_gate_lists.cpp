// SPDX-License-Identifier: Apache-2.0
// From the mask of chosen experts to lists of tokens, or to positions in a sorted matrix.
#include "sw/kernels/moe/moe_gate_lists.h"

#include <algorithm>

namespace tern::kernels {

namespace {

constexpr unsigned kProcessors = 8, kProcessorPartitions = kPartitions / kProcessors;
constexpr unsigned kTransposes = 4;  // of 128 columns: half of a PSUM bank in BF16

}  // namespace

// nonzero_with_count makes one list per GpSimd processor, from its first partition: the mask is
// rearranged so that expert j of eight is there, all tokens in a row.
void store_moe_lists(KernelBuilder& kb, const MoeSpec& spec, const MoeChoice& choice) {
  const std::uint32_t blocks = spec.blocks(), experts = spec.experts;
  const auto pitch = static_cast<std::int32_t>(blocks);
  const Tensor lists = kb.output("lists", DType::kInt32, {experts, spec.list_entries()});
  const Tile apart = kb.sbuf_tile("mask apart", kPartitions, blocks * kPartitions, DType::kBf16);
  const Tile rows = kb.sbuf_tile("mask rows", kPartitions, spec.tokens, DType::kFp32);
  const Tile list = kb.sbuf_tile("list", kPartitions, spec.tokens + 1, DType::kInt32);
  TilePool banks = kb.psum_pool("mask transposed", 2);
  kb.memset(apart, 0.0f, Engine::kGpsimd);
  for (std::uint32_t group = 0; group < experts; group += kProcessors) {
    const std::uint32_t here = std::min(kProcessors, experts - group);
    kb.tensor_copy(
        apart.pattern(0, kPartitions, 0, {{blocks, kPartitions}, {here, kProcessorPartitions}}),
        choice.mask.pattern(0, kPartitions, group,
                            {{blocks, static_cast<std::int32_t>(experts)}, {here, 1}}));
    for (std::uint32_t b = 0; b < blocks; b += kTransposes) {
      const std::uint32_t count = std::min(kTransposes, blocks - b);
      const Tile bank =
          banks.tile("transposed", kPartitions, kTransposes * kPartitions, DType::kBf16);
      for (std::uint32_t i = 0; i < count; ++i) {
        kb.nc_transpose(bank.view(0, kPartitions, i * kPartitions, kPartitions),
                        apart.view(0, kPartitions, (b + i) * kPartitions, kPartitions));
      }
      // Token p * blocks + b.
      kb.tensor_copy(rows.pattern(0, kPartitions, b, {{count, 1}, {kPartitions, pitch}}),
                     bank.view_2d(0, kPartitions, 0, count, kPartitions, kPartitions),
                     b / kTransposes % 2 == 0 ? Engine::kVector : Engine::kScalar);
    }
    kb.nonzero_with_count(list, rows, 0);
    for (std::uint32_t j = 0; j < here; ++j) {
      kb.dma_store(lists.view(group + j, 1, 0, spec.tokens),
                   list.view(j * kProcessorPartitions, 1, 0, spec.tokens), kMadeByHost);
    }
  }
}

// Position of token t with expert e = tokens of the experts before e + tokens before t with e. With
// t = p * blocks + b: those of the partitions before p by a product with a triangle of ones, those
// of the same partition in sequence.
void store_moe_slots(KernelBuilder& kb, const MoeSpec& spec, const MoeChoice& choice) {
  const std::uint32_t blocks = spec.blocks(), experts = spec.experts, k = spec.top_k;
  const Tile before = kb.sbuf_tile("triangle", kPartitions, kPartitions, DType::kBf16);
  kb.memset(before, 1.0f);
  kb.affine_select(before, before, {0, -1, {1}}, Alu::kIsGt, 0.0f);  // column > partition
  const Tile prefix = kb.psum_tile("prefix", kPartitions, experts);
  kb.nc_matmul(prefix, before, choice.hits);

  const Tile zeros = kb.sbuf_tile("zeros", kPartitions, experts, DType::kFp32);
  const Tile begin = kb.sbuf_tile("begin", kPartitions, experts, DType::kFp32);
  kb.memset(zeros, 0.0f);
  kb.tensor_tensor_scan(begin, choice.totals, Alu::kAdd, zeros, Alu::kAdd);
  kb.tensor_tensor(begin, begin, Alu::kSubtract, choice.totals);
  const Tile places = kb.sbuf_tile("places", kPartitions, blocks * experts, DType::kFp32);
  const auto block = [&](const Tile& of, std::uint32_t b) {
    return of.view(0, kPartitions, b * experts, experts);
  };
  kb.tensor_tensor(block(places, 0), begin, Alu::kAdd, prefix);
  for (std::uint32_t b = 1; b < blocks; ++b) {
    kb.tensor_tensor(block(places, b), block(places, b - 1), Alu::kAdd, block(choice.mask, b - 1));
  }

  // For each token the positions and weights of its experts, ascending.
  const Tile slot = kb.sbuf_tile("slots", kPartitions, blocks * k, DType::kInt32);
  const Tile weight = kb.sbuf_tile("weights", kPartitions, blocks * k, DType::kFp32);
  const Tile picked = kb.sbuf_tile("picked", kPartitions, blocks * experts, DType::kFp32);
  const Tile hot = kb.sbuf_tile("hot again", kPartitions, blocks * experts, DType::kFp32);
  const Tile minus = kb.sbuf_tile("negated numbers", kPartitions, experts, DType::kFp32);
  kb.tensor_scalar(minus, choice.numbers, Alu::kMultiply, -1.0f);
  const auto shaped = [&](const Tile& of) {
    return of.view_2d(0, kPartitions, 0, blocks, experts, experts);
  };
  for (std::uint32_t i = 0; i < k; ++i) {
    kb.tensor_tensor(shaped(hot), minus.view().repeated(blocks), Alu::kIsEq,
                     choice.chosen.pattern(0, kPartitions, i, {{blocks, 8}, {experts, 0}}));
    for (const auto& [values, to] :
         {std::pair{&places, &slot}, std::pair{&choice.gates, &weight}}) {
      kb.tensor_tensor(picked, hot, Alu::kMultiply, *values);
      kb.tensor_reduce(to->pattern(0, kPartitions, i, {{blocks, static_cast<std::int32_t>(k)}}),
                       Alu::kAdd, shaped(picked));
    }
  }
  const Tensor slots = kb.output("slots", DType::kInt32, {spec.tokens, k});
  const Tensor weights = kb.output("weights", DType::kFp32, {spec.tokens, k});
  kb.dma_store(slots.rows_on_partitions(0, kPartitions, blocks), slot);
  kb.dma_store(weights.rows_on_partitions(0, kPartitions, blocks), weight);
}

}  // namespace tern::kernels

// SPDX-License-Identifier: Apache-2.0
// The passes that only the permuted variant needs.
#include <fmt/format.h>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/moe/moe.h"

namespace tern::kernels {

TensorView moe_block(const Tensor& tensor, const MoeSpec& spec, std::uint32_t block) {
  TensorView view = tensor.rows_on_partitions(0, kPartitions, spec.blocks());
  view.inner = tensor.columns;
  view.offset += block * tensor.columns * numerics::dtype_size(tensor.dtype);
  return view;
}

// Each token's row is read once and scattered to its top_k positions.
Executable build_moe_permute(const MoeSpec& spec, const ChipConfig& chip) {
  KernelBuilder kb("moe_permute", chip);
  const Tensor x = kb.input("x", DType::kBf16, {spec.tokens, spec.width});
  const Tensor slots = kb.input("slots", DType::kInt32, {spec.tokens, spec.top_k});
  const Tensor xp = kb.output("xp", DType::kBf16, {spec.assignments(), spec.width});
  const Tile slot = kb.sbuf_tile("slots", kPartitions, spec.blocks() * spec.top_k, DType::kInt32);
  kb.dma_load(slot, slots.rows_on_partitions(0, kPartitions, spec.blocks()));
  TilePool rows = kb.sbuf_pool("x", 6, 2 * spec.width);
  IndirectOptions scatter;
  scatter.distinct = true;
  for (std::uint32_t b = 0; b < spec.blocks(); ++b) {
    const Tile tile = rows.tile("x", kPartitions, spec.width, DType::kBf16);
    kb.dma_load(tile, moe_block(x, spec, b));
    for (std::uint32_t k = 0; k < spec.top_k; ++k) {
      kb.dma_scatter(xp.view(0, xp.rows, 0, spec.width), tile, slot.column(b * spec.top_k + k),
                     scatter);
    }
  }
  return kb.finish();
}

// out = ((0 + y[slot 0] w0) + y[slot 1] w1) + ..: ascending experts, every product and every sum
// rounded, as the indexed variant adds near the memory.
Executable build_moe_unpermute(const MoeSpec& spec, const ChipConfig& chip) {
  KernelBuilder kb("moe_unpermute", chip);
  const Tensor y = kb.input("y", DType::kFp32, {spec.assignments(), spec.width});
  const Tensor slots = kb.input("slots", DType::kInt32, {spec.tokens, spec.top_k});
  const Tensor weights = kb.input("weights", DType::kFp32, {spec.tokens, spec.top_k});
  const Tensor out = kb.output("out", DType::kFp32, {spec.tokens, spec.width});
  const std::uint32_t columns = spec.blocks() * spec.top_k;
  const Tile slot = kb.sbuf_tile("slots", kPartitions, columns, DType::kInt32);
  const Tile weight = kb.sbuf_tile("weights", kPartitions, columns, DType::kFp32);
  kb.dma_load(slot, slots.rows_on_partitions(0, kPartitions, spec.blocks()));
  kb.dma_load(weight, weights.rows_on_partitions(0, kPartitions, spec.blocks()));
  constexpr unsigned kAhead = 3;  // blocks gathered before the first of them is stored
  TilePool gathered = kb.sbuf_pool("y", (kAhead + 1) * spec.top_k, 4 * spec.width);
  TilePool results = kb.sbuf_pool("results", 3, 4 * spec.width);
  std::vector<std::vector<Tile>> rows(spec.blocks());
  const auto gather = [&](std::uint32_t b) {
    for (std::uint32_t k = 0; k < spec.top_k; ++k) {
      rows[b].push_back(gathered.tile("y", kPartitions, spec.width, DType::kFp32));
      kb.dma_gather(rows[b].back(), y.view(0, y.rows, 0, spec.width),
                    slot.column(b * spec.top_k + k));
    }
  };
  for (std::uint32_t b = 0; b < std::min(kAhead, spec.blocks()); ++b) gather(b);
  for (std::uint32_t b = 0; b < spec.blocks(); ++b) {
    if (b + kAhead < spec.blocks()) gather(b + kAhead);
    const Tile result = results.tile("result", kPartitions, spec.width, DType::kFp32);
    for (std::uint32_t k = 0; k < spec.top_k; ++k) {
      const TileView by = weight.column(b * spec.top_k + k);
      if (k == 0) {
        ScalarOptions options;
        options.engine = Engine::kScalar;
        kb.tensor_scalar(result, rows[b][k], Alu::kMultiply, by, Alu::kAdd, 0.0f, options);
      } else {
        kb.scalar_tensor_tensor(result, rows[b][k], Alu::kMultiply, by, Alu::kAdd, result);
      }
    }
    // By Sync's generator: on GpSimd's queue it would delay the gathers after it.
    kb.dma_copy(moe_block(out, spec, b), result);
  }
  return kb.finish();
}

}  // namespace tern::kernels

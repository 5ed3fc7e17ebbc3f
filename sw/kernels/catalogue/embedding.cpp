// SPDX-License-Identifier: Apache-2.0
// Rows of a table by their indices: gathered by DMA, with descriptors that GpSimd makes; or as a
// product with one-hot columns, exact because one factor is 1 and all others are 0.
#include <fmt/format.h>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/catalogue/blocks.h"
#include "sw/kernels/catalogue/case_parts.h"
#include "sw/kernels/catalogue/kernels.h"
#include "sw/reference/kernels/rows.h"

namespace tern::kernels {

namespace {

struct EmbeddingSpec {
  std::uint64_t vocabulary = 0, count = 0;
  std::uint32_t d = 0;
};

// 128 rows at a time, four batches in flight.
Executable build_gather(const EmbeddingSpec& spec, const ChipConfig& chip) {
  KernelBuilder kb("embedding", chip);
  const Tensor indices = kb.input("indices", DType::kInt32, {1, spec.count});
  const Tensor table = kb.weight("table", DType::kBf16, {spec.vocabulary, spec.d});
  const Tensor out = kb.output("out", DType::kBf16, {spec.count, spec.d});
  const auto batches = static_cast<std::uint32_t>(blocks_of(spec.count, kPartitions));
  const Tile index = kb.sbuf_tile("indices", kPartitions, batches, DType::kInt32);
  TilePool rows = kb.sbuf_pool("rows", 4, 2 * spec.d);
  std::uint32_t batch = 0;
  for_blocks(spec.count, kPartitions, [&](std::uint64_t first, std::uint32_t count) {
    const TileView column = index.view(0, count, batch++, 1);
    kb.dma_load(column, indices.column_of_row(0, first, count));
    const Tile row = rows.tile("rows", count, spec.d, DType::kBf16);
    kb.dma_gather(row, table.view(0, spec.vocabulary, 0, spec.d), column);
    kb.dma_store(out.view(first, count, 0, spec.d), row);
  });
  return kb.finish();
}

// 128 indices at a time on all partitions; partition p of slab s compares them with 128 s + p.
Executable build_product(const EmbeddingSpec& spec, const ChipConfig& chip) {
  KernelBuilder kb("embedding", chip);
  const auto slabs = static_cast<std::uint32_t>(blocks_of(spec.vocabulary, kMaxContraction));
  const Tensor indices = kb.input("indices", DType::kInt32, {1, spec.count});
  const Tensor table = kb.weight("table", DType::kBf16, {spec.vocabulary, spec.d});
  const Tensor numbers = kb.weight("numbers", DType::kFp32, {slabs, kMaxContraction});
  const Tensor out = kb.output("out", DType::kBf16, {spec.count, spec.d});

  const Tile number = kb.sbuf_tile("numbers", kPartitions, slabs, DType::kFp32);
  std::vector<Tile> rows;
  for (std::uint32_t s = 0; s < slabs; ++s) {
    kb.dma_load(number.view(0, kPartitions, s, 1), numbers.column_of_row(s, 0, kMaxContraction));
    const std::uint64_t first = std::uint64_t{s} * kMaxContraction;
    const auto count =
        static_cast<unsigned>(std::min<std::uint64_t>(kMaxContraction, spec.vocabulary - first));
    rows.push_back(kb.sbuf_tile("table", count, spec.d, DType::kBf16));
    kb.dma_load(rows.back(), table.view(first, count, 0, spec.d));
  }
  const auto banks = static_cast<unsigned>(blocks_of(spec.d, kMaxMoving));
  TilePool loads = kb.sbuf_pool("indices", 2, 4 * kMaxStationary);
  TilePool columns = kb.sbuf_pool("one_hot", 4, 2 * kMaxStationary);
  TilePool sums = kb.psum_pool("sums", kPsumBanks);
  TilePool results = kb.sbuf_pool("results", 2, 2 * spec.d);
  for_blocks(spec.count, kMaxStationary, [&](std::uint64_t first, std::uint32_t count) {
    const Tile index = loads.tile("indices", kPartitions, count, DType::kInt32);
    kb.dma_load(index, indices.replicated(0, kPartitions, first, count));
    std::vector<Tile> sum;
    for_blocks(spec.d, kMaxMoving, [&](std::uint64_t, std::uint32_t size) {
      sum.push_back(sums.tile("sum", count, size, DType::kFp32));
    });
    for (std::uint32_t s = 0; s < slabs; ++s) {
      const unsigned partitions = rows[s].partitions;
      const Tile one_hot = columns.tile("one_hot", partitions, count, DType::kBf16);
      kb.tensor_scalar(one_hot, index.view(0, partitions, 0, count), Alu::kIsEq,
                       number.view(0, partitions, s, 1));
      kb.load_stationary(one_hot);
      for (unsigned b = 0; b < banks; ++b) {
        kb.multiply_moving(sum[b], rows[s].view(0, partitions, b * kMaxMoving, sum[b].free),
                           {s > 0});
      }
    }
    const Tile result = results.tile("result", count, spec.d, DType::kBf16);
    for (unsigned b = 0; b < banks; ++b) {
      kb.tensor_copy(result.view(0, count, b * kMaxMoving, sum[b].free), sum[b], Engine::kScalar);
    }
    kb.dma_store(out.view(first, count, 0, spec.d), result);
  });
  return kb.finish();
}

KernelCase make_embedding(const Parameters& parameters, const ChipConfig& chip,
                          std::uint64_t seed) {
  const bool gather = parameters.choice("by", {"gather", "product"}) == "gather";
  EmbeddingSpec spec;
  spec.vocabulary =
      static_cast<std::uint64_t>(parameters.integer("vocabulary", 1, gather ? 1 << 20 : 16384));
  spec.count = static_cast<std::uint64_t>(parameters.integer("count", 1, 1 << 16));
  spec.d = static_cast<std::uint32_t>(parameters.integer("d", 1, gather ? 8192 : 1024));
  const std::uint64_t slabs = blocks_of(spec.vocabulary, kMaxContraction);
  if (!gather && slabs * spec.d * 2 > chip.core.sbuf_partition_bytes * 3 / 4)
    parameters.fail("vocabulary", "a table that fits into three quarters of SBUF");

  const CaseOperand indices =
      random_indices(spec.count, static_cast<std::uint32_t>(spec.vocabulary), seed, 0);
  const CaseOperand table = random_operand(spec.vocabulary * spec.d, DType::kBf16, seed, 1);
  KernelCase result;
  result.description =
      fmt::format("{} rows of a table [{}, {}]", spec.count, spec.vocabulary, spec.d);
  result.program = gather ? build_gather(spec, chip) : build_product(spec, chip);
  result.inputs = {indices.input("indices"), table.input("table")};
  result.outputs = {{"out",
                     DType::kBf16,
                     {spec.count, spec.d},
                     reference::embedding(indices.values, table.values, spec.d),
                     0.0}};
  const auto tiles = static_cast<double>(blocks_of(spec.count, kMaxStationary));
  const auto count = static_cast<double>(spec.count), slab_count = static_cast<double>(slabs);
  if (gather) {
    const double rows = chip.dma.swdge_row_cycles * count / 8;
    result.cost = {gpsimd_cost(chip, chip.dma.swdge_start_cycles * tiles + rows,
                               "indices / 128 x start + indices / 8 x cycles per descriptor"),
                   dma_cost(chip, 4.0 * count * spec.d, "bytes of the rows, in and out")};
    return result;
  }
  std::vector<float> numbers(slabs * kMaxContraction);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  result.inputs.push_back(operand(numbers, DType::kFp32).input("numbers"));
  result.cost = {
      tensor_cost(chip, tiles * slab_count * spec.d, "indices / 128 x vocabulary / 128 x d"),
      vector_cost(chip, count * slab_count, "indices x vocabulary / 128: one-hot columns"),
      scalar_cost(chip, tiles * spec.d, "indices / 128 x d: eviction from PSUM"),
      dma_cost(chip, 2.0 * static_cast<double>(table.values.size()) + 2.0 * count * spec.d,
               "bytes of table and out")};
  return result;
}

}  // namespace

Kernel embedding_kernel() {
  return {"embedding",
          "rows of a table by their indices",
          {{"vocabulary", "4096", "rows of the table"},
           {"count", "512", "indices"},
           {"d", "512", "elements of a row"},
           {"by", "gather", "gather (DMA), or product (one-hot columns, table in SBUF)"}},
          make_embedding};
}

}  // namespace tern::kernels

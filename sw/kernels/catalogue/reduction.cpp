// SPDX-License-Identifier: Apache-2.0
// Sum, mean, maximum or minimum along the rows of a matrix.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/catalogue/blocks.h"
#include "sw/kernels/catalogue/case_parts.h"
#include "sw/kernels/catalogue/kernels.h"
#include "sw/reference/kernels/rows.h"

namespace tern::kernels {

namespace {

constexpr std::uint32_t kChunk = 2048;  // columns reduced by one instruction

struct ReductionSpec {
  std::uint64_t rows = 0, columns = 0;
  reference::Reduction kind = reference::Reduction::kSum;
  DType dtype = DType::kFp32;

  Alu op() const {
    if (kind == reference::Reduction::kMax) return Alu::kMax;
    return kind == reference::Reduction::kMin ? Alu::kMin : Alu::kAdd;
  }
};

// Chunk by chunk, then the results of the chunks.
Executable build_reduction(const ReductionSpec& spec, const ChipConfig& chip) {
  KernelBuilder kb("reduction", chip);
  const Tensor x = kb.input("x", spec.dtype, {spec.rows, spec.columns});
  const Tensor out = kb.output("out", DType::kFp32, {spec.rows, 1});
  const auto chunks = static_cast<std::uint32_t>(blocks_of(spec.columns, kChunk));
  const auto size = static_cast<std::uint32_t>(numerics::dtype_size(spec.dtype));
  TilePool loads = kb.sbuf_pool("x", 4, kChunk * size);
  TilePool parts = kb.sbuf_pool("parts", 2, 4 * chunks);
  TilePool results = kb.sbuf_pool("results", 2, 4);
  for_blocks(spec.rows, kPartitions, [&](std::uint64_t row, std::uint32_t rows) {
    const Tile part = parts.tile("part", rows, chunks, DType::kFp32);
    for_blocks(spec.columns, kChunk, [&](std::uint64_t first, std::uint32_t columns) {
      const Tile tile = loads.tile("x", rows, columns, spec.dtype);
      kb.dma_load(tile, x.view(row, rows, first, columns));
      const auto chunk = static_cast<unsigned>(first / kChunk);
      kb.tensor_reduce(part.view(0, rows, chunk, 1), spec.op(), tile);
    });
    Tile result = part;
    if (chunks > 1) {
      result = results.tile("result", rows, 1, DType::kFp32);
      kb.tensor_reduce(result, spec.op(), part);
    }
    if (spec.kind == reference::Reduction::kMean)
      kb.tensor_scalar(result, result, Alu::kMultiply, 1.0f / static_cast<float>(spec.columns));
    kb.dma_store(out.view(row, rows, 0, 1), result);
  });
  return kb.finish();
}

KernelCase make_reduction(const Parameters& parameters, const ChipConfig& chip,
                          std::uint64_t seed) {
  ReductionSpec spec;
  spec.rows = static_cast<std::uint64_t>(parameters.integer("rows", 1, 1 << 20));
  spec.columns = static_cast<std::uint64_t>(parameters.integer("columns", 1, 1 << 20));
  if (spec.rows * spec.columns > (1u << 26)) parameters.fail("columns", "at most 2^26 elements");
  const std::string op = parameters.choice("op", {"sum", "mean", "max", "min"});
  spec.kind = op == "sum"    ? reference::Reduction::kSum
              : op == "mean" ? reference::Reduction::kMean
              : op == "max"  ? reference::Reduction::kMax
                             : reference::Reduction::kMin;
  const bool bf16 = parameters.choice("dtype", {"fp32", "bf16"}) == "bf16";
  spec.dtype = bf16 ? DType::kBf16 : DType::kFp32;

  const CaseOperand x = random_operand(spec.rows * spec.columns, spec.dtype, seed, 0);
  KernelCase result;
  result.description = fmt::format("{} along [{}, {}] in {}", op, spec.rows, spec.columns,
                                   numerics::dtype_name(spec.dtype));
  result.program = build_reduction(spec, chip);
  result.inputs = {x.input("x")};
  // The partial sums of n normal numbers are of the size of sqrt(k), each addition is off by at
  // most 2^-24 of it: five standard deviations of a chain, and of the chain over the chunks'
  // results.
  const auto elements = static_cast<double>(spec.columns);
  const double chain = std::min<double>(elements, kChunk), chunks = std::ceil(elements / kChunk);
  double exact = 5 * 0x1p-24 * (chain * std::sqrt(chunks) + std::sqrt(chain) * chunks);
  if (op == "mean") exact = exact / elements + 0x1p-23;
  if (op == "max" || op == "min") exact = 0;
  result.outputs = {{"out",
                     DType::kFp32,
                     {spec.rows, 1},
                     reference::reduce_rows(x.values, spec.rows, spec.columns, spec.kind),
                     exact}};
  const double blocks = static_cast<double>(blocks_of(spec.rows, kPartitions));
  const auto columns = static_cast<double>(spec.columns);
  result.cost = {
      vector_cost(chip, blocks * columns, "rows / 128 x columns: one element per cycle"),
      dma_cost(chip, static_cast<double>(x.values.size() * numerics::dtype_size(spec.dtype)),
               "bytes of x")};
  return result;
}

}  // namespace

Kernel reduction_kernel() {
  return {"reduction",
          "sum, mean, maximum or minimum along the rows of a matrix",
          {{"rows", "1024", "rows, 128 at a time"},
           {"columns", "4096", "elements of a row"},
           {"op", "sum", "sum, mean, max or min"},
           {"dtype", "fp32", "fp32 or bf16"}},
          make_reduction};
}

}  // namespace tern::kernels

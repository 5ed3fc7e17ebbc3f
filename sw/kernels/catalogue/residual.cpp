// SPDX-License-Identifier: Apache-2.0
// x + y, and the norm of the sum's rows if requested: one pass through SBUF for both.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/catalogue/blocks.h"
#include "sw/kernels/catalogue/kernels.h"
#include "sw/kernels/catalogue/row_norm.h"
#include "sw/reference/kernels/normalisation.h"

namespace tern::kernels {

namespace {

// Three blocks of sums stay in SBUF next to everything else.
constexpr std::uint64_t kMaxBytes = 24 * 1024;

struct ResidualSpec {
  NormSpec norm;
  bool with_norm = false;

  // Vector adds three 16-bit operands in one cycle; FP32 takes two on either engine, and Vector has
  // the norm to do.
  Engine adder() const { return norm.dtype == DType::kFp32 ? Engine::kGpsimd : Engine::kVector; }
};

class Residual {
 public:
  Residual(const ResidualSpec& spec, const ChipConfig& chip)
      : spec_(spec),
        norm_spec_(spec.norm),
        kb_("residual", chip),
        x_(kb_.input("x", norm_spec_.dtype, {norm_spec_.rows, norm_spec_.columns})),
        y_(kb_.input("y", norm_spec_.dtype, {norm_spec_.rows, norm_spec_.columns})),
        sum_(kb_.output("sum", norm_spec_.dtype, {norm_spec_.rows, norm_spec_.columns})) {
    if (spec.with_norm) {
      out_ = kb_.output("out", norm_spec_.dtype, {norm_spec_.rows, norm_spec_.columns});
      norm_.emplace(kb_, norm_spec_);
    }
    const std::uint32_t bytes =
        std::min(norm_spec_.chunk(), static_cast<std::uint32_t>(norm_spec_.columns)) *
        norm_spec_.size();
    loads_ = kb_.sbuf_pool("loads", 8, bytes);
    sums_ = kb_.sbuf_pool("sums", spec.with_norm ? 3 * norm_spec_.chunks() : 4, bytes);
  }

  // Chunk by chunk, alternating: sum and statistics of a block, normalisation of the previous one.
  Executable build() {
    std::optional<Block> before;
    for_blocks(norm_spec_.rows, kPartitions, [&](std::uint64_t row, std::uint32_t rows) {
      Block block{row, {}, {}};
      if (norm_) block.statistics = norm_->begin(rows);
      for_blocks(norm_spec_.columns, norm_spec_.chunk(),
                 [&](std::uint64_t first, std::uint32_t columns) {
                   const auto index = static_cast<unsigned>(block.sums.size());
                   block.sums.push_back(add(row, rows, first, columns));
                   // Where Vector does not add, it works on the previous block meanwhile.
                   const bool waits = spec_.adder() != Engine::kVector;
                   if (before && waits) normalise(*before, index);
                   if (norm_) norm_->add(block.statistics, index, block.sums.back());
                   if (before && !waits) normalise(*before, index);
                 });
      if (!norm_) return;
      norm_->end(block.statistics);
      before = block;
    });
    if (before) {
      for (unsigned index = 0; index < norm_spec_.chunks(); ++index) normalise(*before, index);
    }
    return kb_.finish();
  }

 private:
  struct Block {
    std::uint64_t row = 0;
    RowNorm::Rows statistics;
    std::vector<Tile> sums;
  };

  Tile add(std::uint64_t row, std::uint32_t rows, std::uint64_t first, std::uint32_t columns) {
    const Tile x = loads_.tile("x", rows, columns, norm_spec_.dtype),
               y = loads_.tile("y", rows, columns, norm_spec_.dtype);
    kb_.dma_load(x, x_.view(row, rows, first, columns));
    kb_.dma_load(y, y_.view(row, rows, first, columns));
    const Tile sum = sums_.tile("sum", rows, columns, norm_spec_.dtype);
    kb_.tensor_tensor(sum, x, Alu::kAdd, y, spec_.adder());
    kb_.dma_store(sum_.view(row, rows, first, columns), sum);
    return sum;
  }

  void normalise(const Block& block, unsigned index) {
    const Tile& sum = block.sums[index];
    const std::uint64_t first = std::uint64_t{index} * norm_spec_.chunk();
    const Tile result = norm_->normalise(block.statistics, first, sum);
    kb_.dma_store(out_.view(block.row, sum.partitions, first, sum.free), result);
  }

  const ResidualSpec spec_;
  const NormSpec norm_spec_;
  KernelBuilder kb_;
  const Tensor x_, y_, sum_;
  Tensor out_;
  std::optional<RowNorm> norm_;
  TilePool loads_, sums_;
};

KernelCase make_residual(const Parameters& parameters, const ChipConfig& chip, std::uint64_t seed) {
  const std::string norm = parameters.choice("norm", {"none", "rms", "layer"});
  ResidualSpec spec;
  spec.with_norm = norm != "none";
  spec.norm =
      norm_spec(parameters, norm == "layer" ? NormSpec::Kind::kLayer : NormSpec::Kind::kRms);
  const NormSpec& matrix = spec.norm;
  if (matrix.columns * matrix.size() > kMaxBytes)
    parameters.fail("columns", fmt::format("rows of at most {} bytes", kMaxBytes));

  const std::size_t count = matrix.rows * matrix.columns;
  const CaseOperand x = random_operand(count, matrix.dtype, seed, 0, 0.5),
                    y = random_operand(count, matrix.dtype, seed, 1);
  std::vector<double> sums(count);
  for (std::size_t i = 0; i < count; ++i) sums[i] = double{x.values[i]} + double{y.values[i]};
  KernelCase result;
  result.description = fmt::format("x + y of [{}, {}] in {}, norm of the sum: {}", matrix.rows,
                                   matrix.columns, numerics::dtype_name(matrix.dtype), norm);
  result.program = Residual(spec, chip).build();
  result.inputs = {x.input("x"), y.input("y")};
  // The sum is rounded once; its norm is that of the rounded one.
  const double rounding = matrix.dtype == DType::kFp32 ? 0x1p-24 : 0x1p-8;
  const std::vector<std::uint64_t> shape = {matrix.rows, matrix.columns};
  result.outputs = {{"sum", matrix.dtype, shape, sums, rounding}};
  const Engine adder = spec.adder();
  NormCycles cycles;
  if (spec.with_norm) {
    const NormOperands operands = norm_operands(matrix, seed);
    for (const CaseInput& input : operands.inputs()) result.inputs.push_back(input);
    // Of the rounded sums: in short rows their deviation can be as small as their rounding.
    std::vector<float> narrow(sums.begin(), sums.end());
    const CaseOperand rounded = operand(std::move(narrow), matrix.dtype);
    const std::vector<double> values(rounded.values.begin(), rounded.values.end());
    result.outputs.push_back({"out", matrix.dtype, shape, norm_expected(matrix, values, operands),
                              norm_tolerance(matrix, values, operands)});
    cycles = norm_cycles(matrix);
  }
  (adder == Engine::kVector ? cycles.vector : cycles.gpsimd) += adder == Engine::kVector ? 1 : 2;
  result.cost = norm_cost(matrix, chip, cycles, spec.with_norm ? 4 : 3);
  return result;
}

}  // namespace

Kernel residual_kernel() {
  return {"residual",
          "x + y, and the norm of the sum where asked",
          {{"rows", "1024", "rows, 128 at a time"},
           {"columns", "4096", "elements of a row, at most 24 KiB"},
           {"dtype", "bf16", "bf16 or fp32, of all tensors"},
           {"norm", "rms", "none, rms or layer: of the sum's rows"},
           {"epsilon", "1e-6", "added to the mean of squares or the variance"}},
          make_residual};
}

}  // namespace tern::kernels

// SPDX-License-Identifier: Apache-2.0
// RMS norm and layer norm of the rows of a matrix.
#include <fmt/format.h>

#include <optional>

#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/catalogue/blocks.h"
#include "sw/kernels/catalogue/kernels.h"
#include "sw/kernels/catalogue/row_norm.h"

namespace tern::kernels {

namespace {

// Rows of which three blocks fit next to everything else stay in SBUF between the statistics and
// their use; longer ones are loaded twice.
constexpr std::uint64_t kResidentBytes = 24 * 1024;

bool resident(const NormSpec& spec) {
  return spec.columns * spec.size() <= kResidentBytes;
}

class RowNorms {
 public:
  RowNorms(const char* name, const NormSpec& spec, const ChipConfig& chip)
      : spec_(spec),
        kb_(name, chip),
        x_(kb_.input("x", spec.dtype, {spec.rows, spec.columns})),
        out_(kb_.output("out", spec.dtype, {spec.rows, spec.columns})),
        norm_(kb_, spec) {
    const std::uint32_t bytes =
        std::min(spec.chunk(), static_cast<std::uint32_t>(spec.columns)) * spec.size();
    loads_ = kb_.sbuf_pool("x", resident(spec) ? 3 * spec.chunks() : 4, bytes);
    if (!resident(spec)) reloads_ = kb_.sbuf_pool("x again", 4, bytes);
  }

  // Chunk by chunk, alternating: statistics of a block, normalisation of the previous one. All
  // engines and the DMA are then busy at any time.
  Executable build() {
    std::optional<Block> before;
    for_blocks(spec_.rows, kPartitions, [&](std::uint64_t row, std::uint32_t rows) {
      Block block{row, norm_.begin(rows), {}};
      for_blocks(spec_.columns, spec_.chunk(), [&](std::uint64_t first, std::uint32_t columns) {
        const Tile x = load(block, first, columns, loads_);
        norm_.add(block.statistics, static_cast<unsigned>(first / spec_.chunk()), x);
        block.chunks.push_back(x);
        if (before) normalise(*before, first, columns);
      });
      norm_.end(block.statistics);
      before = block;
    });
    for_blocks(spec_.columns, spec_.chunk(), [&](std::uint64_t first, std::uint32_t columns) {
      normalise(*before, first, columns);
    });
    return kb_.finish();
  }

 private:
  struct Block {
    std::uint64_t row = 0;
    RowNorm::Rows statistics;
    std::vector<Tile> chunks;
  };

  Tile load(const Block& block, std::uint64_t first, std::uint32_t columns, TilePool& pool) {
    const unsigned rows = block.statistics.rows;
    const Tile x = pool.tile("x", rows, columns, spec_.dtype);
    kb_.dma_load(x, x_.view(block.row, rows, first, columns));
    return x;
  }

  void normalise(const Block& block, std::uint64_t first, std::uint32_t columns) {
    const Tile x = resident(spec_) ? block.chunks[first / spec_.chunk()]
                                   : load(block, first, columns, reloads_);
    const Tile result = norm_.normalise(block.statistics, first, x);
    kb_.dma_store(out_.view(block.row, block.statistics.rows, first, columns), result);
  }

  const NormSpec spec_;
  KernelBuilder kb_;
  const Tensor x_, out_;
  RowNorm norm_;
  TilePool loads_, reloads_;
};

KernelCase make(const char* name, const NormSpec& spec, const ChipConfig& chip,
                std::uint64_t seed) {
  // A mean that is not zero: a variance must exclude it.
  const CaseOperand x = random_operand(spec.rows * spec.columns, spec.dtype, seed, 0, 0.5);
  const NormOperands operands = norm_operands(spec, seed);
  KernelCase result;
  result.description = fmt::format("{} of [{}, {}] in {}", name, spec.rows, spec.columns,
                                   numerics::dtype_name(spec.dtype));
  result.program = RowNorms(name, spec, chip).build();
  result.inputs = operands.inputs();
  result.inputs.push_back(x.input("x"));
  const std::vector<double> values(x.values.begin(), x.values.end());
  result.outputs = {{"out",
                     spec.dtype,
                     {spec.rows, spec.columns},
                     norm_expected(spec, values, operands),
                     norm_tolerance(spec, values, operands)}};
  result.cost = norm_cost(spec, chip, norm_cycles(spec), resident(spec) ? 2 : 3);
  return result;
}

KernelCase make_rms_norm(const Parameters& parameters, const ChipConfig& chip, std::uint64_t seed) {
  return make("rms_norm", norm_spec(parameters, NormSpec::Kind::kRms), chip, seed);
}

KernelCase make_layer_norm(const Parameters& parameters, const ChipConfig& chip,
                           std::uint64_t seed) {
  return make("layer_norm", norm_spec(parameters, NormSpec::Kind::kLayer), chip, seed);
}

std::vector<Parameter> norm_parameters() {
  return {{"rows", "1024", "rows, 128 at a time"},
          {"columns", "4096", "elements of a row; above 24 KiB each row is loaded twice"},
          {"dtype", "bf16", "bf16 or fp32, of x, out, gamma and beta"},
          {"epsilon", "1e-6", "added to the mean of squares or the variance"}};
}

}  // namespace

Kernel rms_norm_kernel() {
  return {"rms_norm", "x / rms(x) * gamma along the rows of a matrix", norm_parameters(),
          make_rms_norm};
}

Kernel layer_norm_kernel() {
  return {"layer_norm", "(x - mean) / deviation * gamma + beta along the rows of a matrix",
          norm_parameters(), make_layer_norm};
}

}  // namespace tern::kernels

// SPDX-License-Identifier: Apache-2.0
// Softmax along the rows of a matrix: exp(x - largest) / sum.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/catalogue/blocks.h"
#include "sw/kernels/catalogue/case_parts.h"
#include "sw/kernels/catalogue/kernels.h"
#include "sw/reference/kernels/normalisation.h"

namespace tern::kernels {

namespace {

constexpr std::uint32_t kChunk = 2048;        // columns of one instruction
constexpr std::uint64_t kResidentChunks = 8;  // of a row: its exponentials stay in SBUF
constexpr std::uint32_t kMaxColumns = 1 << 17;

struct SoftmaxSpec {
  std::uint64_t rows = 0, columns = 0;
  DType dtype = DType::kFp32;

  std::uint32_t chunks() const { return static_cast<std::uint32_t>(blocks_of(columns, kChunk)); }
  bool resident() const { return chunks() <= kResidentChunks; }
};

// On Vector; Scalar then scales by activate2.
bool uses_exponential(const ChipConfig& chip) {
  return chip.core.vector.exp_per_cycle != 0 && chip.core.scalar_features.all_operators;
}

// Every chunk of a row has its own maximum m, sum s of exp(x - m) and exponentials, so that it is
// processed when it arrives. When the row is complete, chunk c is scaled by
// exp(m[c] - M) / sum over k of s[k] exp(m[k] - M), with M the largest m. Exponentials of long rows
// do not stay in SBUF: they are computed again from a second load.
class Softmax {
 public:
  Softmax(const SoftmaxSpec& spec, const ChipConfig& chip)
      : spec_(spec),
        has_exponential_(uses_exponential(chip)),
        kb_("softmax", chip),
        x_(kb_.input("x", spec.dtype, {spec.rows, spec.columns})),
        out_(kb_.output("out", spec.dtype, {spec.rows, spec.columns})) {
    const std::uint32_t chunks = spec.chunks();
    const auto width = std::min<std::uint32_t>(kChunk, static_cast<std::uint32_t>(spec.columns));
    const auto size = static_cast<std::uint32_t>(numerics::dtype_size(spec.dtype));
    loads_ = kb_.sbuf_pool("x", 4, width * size);
    // A separate pool: the first chunk of the next rows waits in the other one.
    if (!spec.resident()) reloads_ = kb_.sbuf_pool("x again", 3, width * size);
    exponentials_ = kb_.sbuf_pool("exponentials", spec.resident() ? 2 * chunks + 1 : 3, 4 * width);
    results_ = kb_.sbuf_pool("results", 3, width * size);
    columns_ = kb_.sbuf_pool("columns", 4, 2 * 4 * chunks);
    narrow_ = kb_.sbuf_pool("narrow maxima", 4, 2);
    factors_ = kb_.sbuf_pool("factors", 8, 4 * chunks);
  }

  Executable build() {
    blocks_.reserve(blocks_of(spec_.rows, kPartitions));
    for_blocks(spec_.rows, kPartitions, [&](std::uint64_t row, std::uint32_t rows) {
      blocks_.push_back(
          {row, rows, columns_.tile("columns", rows, 2 * spec_.chunks(), DType::kFp32), {}});
      for_blocks(spec_.columns, kChunk, [&](std::uint64_t first, std::uint32_t columns) {
        const Chunk chunk{blocks_.size() - 1, first, columns};
        const Tile x = load(chunk, loads_);
        find_maximum(chunk, x);
        // One chunk late: Vector computes the exponentials of a chunk while the maximum of the
        // next one is in progress.
        finish_pending();
        pending_ = Pending{chunk, x};
      });
    });
    finish_pending();
    return kb_.finish();
  }

 private:
  struct Rows {
    std::uint64_t row = 0;
    std::uint32_t rows = 0;
    Tile columns;  // by chunk: m, or -m if activations take it as their bias; then the sums
    std::vector<Tile> exponentials;
  };
  struct Chunk {
    std::size_t block = 0;
    std::uint64_t first = 0;
    std::uint32_t columns = 0;
    unsigned index() const { return static_cast<unsigned>(first / kChunk); }
  };
  struct Pending {
    Chunk chunk;
    Tile x;
  };

  Rows& rows_of(const Chunk& chunk) { return blocks_[chunk.block]; }
  TileView maximum(const Chunk& chunk) { return rows_of(chunk).columns.column(chunk.index()); }
  TileView sum(const Chunk& chunk) {
    return rows_of(chunk).columns.column(spec_.chunks() + chunk.index());
  }
  Tile factor(const char* name, const Rows& block, std::uint32_t columns) {
    return factors_.tile(name, block.rows, columns, DType::kFp32);
  }

  Tile load(const Chunk& chunk, TilePool& pool) {
    const Rows& block = rows_of(chunk);
    const Tile tile = pool.tile("x", block.rows, chunk.columns, spec_.dtype);
    kb_.dma_load(tile, x_.view(block.row, block.rows, chunk.first, chunk.columns));
    return tile;
  }

  // A maximum of BF16 numbers is one: the reduction into BF16 reads two elements per cycle, and a
  // conversion of one column follows.
  void find_maximum(const Chunk& chunk, const Tile& x) {
    const bool negate = !has_exponential_;
    if (spec_.dtype == DType::kFp32) {
      kb_.tensor_reduce(maximum(chunk), Alu::kMax, x, negate);
      return;
    }
    const Tile narrow = narrow_.tile("maximum", x.partitions, 1, DType::kBf16);
    kb_.tensor_reduce(narrow, Alu::kMax, x, negate);
    kb_.tensor_copy(maximum(chunk), narrow);
  }

  Tile exponentiate(const Chunk& chunk, const Tile& x, bool with_sum) {
    const Tile e = exponentials_.tile("exponentials", x.partitions, x.free, DType::kFp32);
    ActivationOptions options;
    options.bias = maximum(chunk);
    if (with_sum) options.reduce = Reduce{Alu::kAdd, sum(chunk)};
    if (has_exponential_) {
      kb_.exponential(e, x, options.bias, options.reduce);
    } else {
      kb_.activation(e, Activation::kExp, x, options);
    }
    return e;
  }

  void finish_pending() {
    if (!pending_) return;
    const Chunk chunk = pending_->chunk;
    const Tile e = exponentiate(chunk, pending_->x, true);
    pending_.reset();
    if (spec_.resident()) rows_of(chunk).exponentials.push_back(e);
    if (chunk.index() + 1 == spec_.chunks()) scale(chunk.block);
  }

  // [P, chunks]
  Tile factors_of(const Rows& block) {
    const std::uint32_t chunks = spec_.chunks();
    const TileView maxima = block.columns.view(0, block.rows, 0, chunks);
    const TileView sums = block.columns.view(0, block.rows, chunks, chunks);
    const Tile factors = factor("factors", block, chunks);
    if (chunks == 1) {
      kb_.reciprocal(factors, sums);
      return factors;
    }
    const Tile largest = factor("largest", block, 1), weights = factor("weights", block, chunks),
               total = factor("total", block, 1);
    if (has_exponential_) {
      kb_.tensor_reduce(largest, Alu::kMax, maxima);
      kb_.exponential(weights, maxima, largest);
    } else {
      kb_.tensor_reduce(largest, Alu::kMin, maxima);
      kb_.activation(weights, Activation::kExp, maxima, -1.0f, largest);
    }
    kb_.tensor_tensor(factors, weights, Alu::kMultiply, sums);
    kb_.tensor_reduce(total, Alu::kAdd, factors);
    kb_.reciprocal(total, total);
    kb_.tensor_scalar(factors, weights, Alu::kMultiply, total);
    return factors;
  }

  // On the engine that did not do the exponentials.
  void scale(std::size_t block_index) {
    const Rows& block = blocks_[block_index];
    const Tile factors = factors_of(block);
    for_blocks(spec_.columns, kChunk, [&](std::uint64_t first, std::uint32_t columns) {
      const Chunk chunk{block_index, first, columns};
      const Tile e = spec_.resident() ? block.exponentials[chunk.index()]
                                      : exponentiate(chunk, load(chunk, reloads_), false);
      const Tile result = results_.tile("result", block.rows, columns, spec_.dtype);
      const TileView column = factors.column(chunk.index());
      if (has_exponential_) {
        kb_.activate2(result, e, Alu::kMultiply, column);
      } else {
        kb_.tensor_scalar(result, e, Alu::kMultiply, column);
      }
      kb_.dma_store(out_.view(block.row, block.rows, first, columns), result);
    });
  }

  const SoftmaxSpec spec_;
  const bool has_exponential_;
  KernelBuilder kb_;
  const Tensor x_, out_;
  TilePool loads_, reloads_, exponentials_, results_, columns_, narrow_, factors_;
  std::vector<Rows> blocks_;
  std::optional<Pending> pending_;
};

std::vector<CostLine> softmax_cost(const SoftmaxSpec& spec, const ChipConfig& chip) {
  const double elements =
      static_cast<double>(blocks_of(spec.rows, kPartitions)) * static_cast<double>(spec.columns);
  const double bytes = static_cast<double>(spec.rows) * static_cast<double>(spec.columns) *
                       static_cast<double>(numerics::dtype_size(spec.dtype));
  const double reduction = spec.dtype == DType::kFp32 ? 1 : 0.5;  // cycles per element
  const unsigned passes = spec.resident() ? 1 : 2;
  const char* transfers = spec.resident() ? "bytes of x and out" : "bytes of x, twice, and out";
  const CostLine dma = dma_cost(chip, (passes + 1) * bytes, transfers);
  if (!uses_exponential(chip)) {
    const bool fast = chip.core.vector_features.fast_modes;
    return {vector_cost(chip, elements * (reduction + (fast ? 0.5 : 1)),
                        std::string("rows / 128 x columns x (maximum: FP32 1, BF16 1/2; scale: ") +
                            (fast ? "1/2)" : "1)")),
            scalar_cost(chip, elements * passes, "rows / 128 x columns, of each load"), dma};
  }
  return {vector_cost(chip, elements * (reduction + passes * 1.0 / chip.core.vector.exp_per_cycle),
                      "rows / 128 x columns x (maximum: FP32 1, BF16 1/2; exponential: 1 / "
                      "exp_per_cycle, of each load)"),
          scalar_cost(chip, elements, "rows / 128 x columns: scale"), dma};
}

KernelCase make_softmax(const Parameters& parameters, const ChipConfig& chip, std::uint64_t seed) {
  SoftmaxSpec spec;
  spec.rows = static_cast<std::uint64_t>(parameters.integer("rows", 1, 1 << 20));
  spec.columns = static_cast<std::uint64_t>(parameters.integer("columns", 1, kMaxColumns));
  if (spec.rows * spec.columns > (1u << 26)) parameters.fail("columns", "at most 2^26 elements");
  const bool bf16 = parameters.choice("dtype", {"bf16", "fp32"}) == "bf16";
  spec.dtype = bf16 ? DType::kBf16 : DType::kFp32;

  const CaseOperand x = random_operand(spec.rows * spec.columns, spec.dtype, seed, 0, 0, 2);
  KernelCase result;
  result.description = fmt::format("softmax along [{}, {}] in {}", spec.rows, spec.columns,
                                   numerics::dtype_name(spec.dtype));
  result.program = Softmax(spec, chip).build();
  result.inputs = {x.input("x")};
  const std::vector<double> expected = reference::softmax(x.values, spec.columns);
  // Errors are relative to the result, the largest result bounds them. Exponentials: a rounded
  // difference below 32 moves them by 2^-20, and some 2^-22 of the function. Sums of n: four
  // chains of additions, or one on Scalar, each rounding below 2^-24. Then the chunks' and the last
  // factor, and the rounding to the format.
  const double chain =
      static_cast<double>(std::min<std::uint64_t>(spec.columns, kChunk) + spec.chunks());
  const double relative = 0x1p-19 + chain * 0x1p-24 + (bf16 ? 0x1p-8 : 0x1p-22);
  result.outputs = {{"out",
                     spec.dtype,
                     {spec.rows, spec.columns},
                     expected,
                     relative * *std::max_element(expected.begin(), expected.end())}};
  result.cost = softmax_cost(spec, chip);
  return result;
}

}  // namespace

Kernel softmax_kernel() {
  return {"softmax",
          "softmax along the rows of a matrix",
          {{"rows", "1024", "rows, 128 at a time"},
           {"columns", "4096", "elements of a row; above 16384 each row is loaded twice"},
           {"dtype", "bf16", "bf16 or fp32"}},
          make_softmax};
}

}  // namespace tern::kernels

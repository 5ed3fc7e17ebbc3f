// SPDX-License-Identifier: Apache-2.0
// Batch norm of images, as in training: mean and variance of each channel over all images, then
// (x - mean) / deviation * gamma + beta.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

constexpr std::uint32_t kGroup = 512;                // elements of one bn_stats, which writes six
constexpr std::uint64_t kResidentBytes = 48 * 1024;  // of a channel, three blocks of channels

struct BatchNormSpec {
  std::uint64_t images = 0, channels = 0, pixels = 0;
  DType dtype = DType::kBf16;
  double epsilon = 1e-5;

  std::uint64_t size() const { return numerics::dtype_size(dtype); }
  std::uint32_t chunk() const { return static_cast<std::uint32_t>(4096 / size()); }
  bool resident() const { return images * pixels * size() <= kResidentBytes; }
};

// A part of all channels: some whole images side by side, or a section of one.
struct Part {
  std::uint64_t image = 0, images = 1, pixel = 0, pixels = 0;
  std::uint32_t elements() const { return static_cast<std::uint32_t>(images * pixels); }
};

std::vector<Part> parts_of(const BatchNormSpec& spec) {
  std::vector<Part> parts;
  const std::uint64_t together = std::max<std::uint64_t>(1, spec.chunk() / spec.pixels);
  for_blocks(spec.images, together, [&](std::uint64_t image, std::uint32_t images) {
    for_blocks(spec.pixels, spec.chunk(), [&](std::uint64_t pixel, std::uint32_t pixels) {
      parts.push_back({image, images, pixel, pixels});
    });
  });
  return parts;
}

// Channels on partitions. bn_stats (Vector) reads each element once; with sums and squares on
// Scalar, the normalisation would have to move to Vector, and the two passes there would take
// longer. Scalar normalises: x * factor + offset, both columns.
class BatchNormKernel {
 public:
  BatchNormKernel(const BatchNormSpec& spec, const ChipConfig& chip)
      : spec_(spec),
        parts_(parts_of(spec)),
        kb_("batch_norm", chip),
        x_(kb_.input("x", spec.dtype, {spec.images * spec.channels, spec.pixels})),
        gamma_(kb_.weight("gamma", DType::kFp32, {spec.channels, 1})),
        beta_(kb_.weight("beta", DType::kFp32, {spec.channels, 1})),
        out_(kb_.output("out", spec.dtype, {spec.images * spec.channels, spec.pixels})),
        mean_(kb_.output("mean", DType::kFp32, {spec.channels, 1})),
        variance_(kb_.output("variance", DType::kFp32, {spec.channels, 1})) {
    for (const Part& part : parts_)
      groups_ += static_cast<std::uint32_t>(blocks_of(part.elements(), kGroup));
    const auto bytes = static_cast<std::uint32_t>(parts_.front().elements() * spec.size());
    const auto kept = static_cast<unsigned>(parts_.size());
    loads_ = kb_.sbuf_pool("x", spec.resident() ? 3 * kept : 4, bytes);
    if (!spec.resident()) reloads_ = kb_.sbuf_pool("x again", 4, bytes);
    results_ = kb_.sbuf_pool("results", 4, bytes);
    statistics_ = kb_.sbuf_pool("statistics", 2, 4 * 6 * groups_);
    columns_ = kb_.sbuf_pool("columns", 3, 4 * kColumns);
  }

  // Part by part, alternating: moments of a block of channels, normalisation of the previous one.
  Executable build() {
    std::optional<Block> before;
    for_blocks(spec_.channels, kPartitions, [&](std::uint64_t channel, std::uint32_t channels) {
      Block block{channel,
                  columns_.tile("columns", channels, kColumns, DType::kFp32),
                  statistics_.tile("statistics", channels, 6 * groups_, DType::kFp32),
                  {}};
      unsigned group = 0;
      for (std::size_t i = 0; i < parts_.size(); ++i) {
        block.parts.push_back(load(block, parts_[i], loads_));
        add_statistics(block, block.parts.back(), &group);
        if (before) normalise(*before, i);
      }
      find_factors(block);
      before = block;
    });
    for (std::size_t i = 0; i < parts_.size(); ++i) normalise(*before, i);
    return kb_.finish();
  }

 private:
  // Columns of a block of channels.
  enum : unsigned { kMean, kVariance, kInverse, kGamma, kBeta, kFactor, kOffset, kColumns };

  struct Block {
    std::uint64_t channel = 0;
    Tile columns, statistics;
    std::vector<Tile> parts;
    unsigned channels() const { return columns.partitions; }
  };

  TensorView view(const Tensor& tensor, const Block& block, const Part& part) const {
    return tensor.slabs(part.image * spec_.channels + block.channel, block.channels(), part.images,
                        spec_.channels, part.pixel, part.pixels);
  }

  Tile load(const Block& block, const Part& part, TilePool& pool) {
    const Tile x = pool.tile("x", block.channels(), part.elements(), spec_.dtype);
    kb_.dma_load(x, view(x_, block, part));
    return x;
  }

  void add_statistics(const Block& block, const Tile& x, unsigned* group) {
    const unsigned channels = block.channels();
    for_blocks(x.free, kGroup, [&](std::uint64_t first, std::uint32_t count) {
      kb_.bn_stats(block.statistics.view(0, channels, 6 * (*group)++, 6),
                   x.view(0, channels, static_cast<unsigned>(first), count));
    });
  }

  void find_factors(const Block& block) {
    const Tile& columns = block.columns;
    const auto of_block = [&](const Tensor& tensor) {
      return tensor.view(block.channel, block.channels(), 0, 1);
    };
    kb_.dma_load(columns.column(kGamma), of_block(gamma_));
    kb_.dma_load(columns.column(kBeta), of_block(beta_));
    kb_.bn_aggr(columns.view(0, block.channels(), kMean, 2), block.statistics);
    kb_.activation(columns.column(kInverse), Activation::kRsqrt, columns.column(kVariance), 1.0f,
                   static_cast<float>(spec_.epsilon));
    kb_.tensor_tensor(columns.column(kFactor), columns.column(kInverse), Alu::kMultiply,
                      columns.column(kGamma));
    // offset = beta - mean * factor
    kb_.scalar_tensor_tensor(columns.column(kOffset), columns.column(kMean), Alu::kMultiply,
                             columns.column(kFactor), Alu::kSubtract, columns.column(kBeta), false,
                             true);
    kb_.dma_store(of_block(mean_), columns.column(kMean));
    kb_.dma_store(of_block(variance_), columns.column(kVariance));
  }

  void normalise(const Block& block, std::size_t index) {
    const Tile x = spec_.resident() ? block.parts[index] : load(block, parts_[index], reloads_);
    const Tile result = results_.tile("result", block.channels(), x.free, spec_.dtype);
    ActivationOptions options;
    options.scale = block.columns.column(kFactor);
    options.bias = block.columns.column(kOffset);
    kb_.activation(result, Activation::kIdentity, x, options);
    kb_.dma_store(view(out_, block, parts_[index]), result);
  }

  const BatchNormSpec spec_;
  const std::vector<Part> parts_;
  std::uint32_t groups_ = 0;
  KernelBuilder kb_;
  const Tensor x_, gamma_, beta_, out_, mean_, variance_;
  TilePool loads_, reloads_, results_, statistics_, columns_;
};

BatchNormSpec batch_norm_spec(const Parameters& parameters) {
  BatchNormSpec spec;
  spec.images = static_cast<std::uint64_t>(parameters.integer("images", 1, 4096));
  spec.channels = static_cast<std::uint64_t>(parameters.integer("channels", 1, 4096));
  spec.pixels = static_cast<std::uint64_t>(parameters.integer("pixels", 1, 1 << 16));
  if (spec.images * spec.pixels > (1u << 18))
    parameters.fail("pixels", "at most 2^18 elements of a channel");
  if (spec.images * spec.pixels * spec.channels > (1u << 26))
    parameters.fail("channels", "at most 2^26 elements");
  const bool bf16 = parameters.choice("dtype", {"bf16", "fp32"}) == "bf16";
  spec.dtype = bf16 ? DType::kBf16 : DType::kFp32;
  spec.epsilon = parameters.number("epsilon", 1e-12, 1);
  return spec;
}

KernelCase make_batch_norm(const Parameters& parameters, const ChipConfig& chip,
                           std::uint64_t seed) {
  const BatchNormSpec spec = batch_norm_spec(parameters);
  const std::uint64_t count = spec.images * spec.channels * spec.pixels;
  const CaseOperand x = random_operand(count, spec.dtype, seed, 0, 0.5),
                    gamma = random_operand(spec.channels, DType::kFp32, seed, 1, 1, 0.25),
                    beta = random_operand(spec.channels, DType::kFp32, seed, 2, 0, 0.25);
  KernelCase result;
  result.description = fmt::format("batch norm of {} images [{}, {}] in {}", spec.images,
                                   spec.channels, spec.pixels, numerics::dtype_name(spec.dtype));
  result.program = BatchNormKernel(spec, chip).build();
  result.inputs = {x.input("x"), gamma.input("gamma"), beta.input("beta")};
  const reference::BatchNorm expected = reference::batch_norm(
      x.values, spec.images, spec.pixels, gamma.values, beta.values, spec.epsilon);
  // Groups: chains of up to 256 elements; then a chain over the groups. Half of it reaches the
  // deviation; the terms of a result are at most some 8 times it, or 1. One rounding to the format.
  const double chain =
      256 + 2 * static_cast<double>(blocks_of(spec.images * spec.pixels, kGroup)) + 2;
  const double rounding = spec.dtype == DType::kFp32 ? 0x1p-24 : 0x1p-8;
  // Unless the mean is large compared with the deviation: mean * factor is rounded separately.
  double terms = 8;
  for (std::size_t c = 0; c < spec.channels; ++c) {
    const double deviation = std::sqrt(expected.variance[c] + spec.epsilon);
    terms = std::max(terms, std::fabs(2 * expected.mean[c] * gamma.values[c]) / deviation);
  }
  result.outputs = {
      {"out",
       spec.dtype,
       {spec.images, spec.channels, spec.pixels},
       expected.out,
       terms * chain * 0x1p-25 + rounding},
      {"mean", DType::kFp32, {spec.channels}, expected.mean, chain * 0x1p-24},
      {"variance", DType::kFp32, {spec.channels}, expected.variance, chain * 0x1p-23}};
  const double elements = static_cast<double>(blocks_of(spec.channels, kPartitions)) *
                          static_cast<double>(spec.images * spec.pixels);
  const double bytes = static_cast<double>(count * spec.size());
  result.cost = {
      vector_cost(chip, elements, "channels / 128 x images x pixels: bn_stats"),
      scalar_cost(chip, elements, "channels / 128 x images x pixels: x * factor + offset"),
      dma_cost(chip, (spec.resident() ? 2 : 3) * bytes,
               spec.resident() ? "bytes of x and out" : "bytes of x, twice, and out")};
  return result;
}

}  // namespace

Kernel batch_norm_kernel() {
  return {"batch_norm",
          "batch norm of images [images, channels, pixels], with the moments of the channels",
          {{"images", "8", "images"},
           {"channels", "256", "channels, 128 at a time"},
           {"pixels", "784", "pixels of an image; above 48 KiB a channel is loaded twice"},
           {"dtype", "bf16", "bf16 or fp32, of x and out"},
           {"epsilon", "1e-5", "added to the variance"}},
          make_batch_norm};
}

}  // namespace tern::kernels

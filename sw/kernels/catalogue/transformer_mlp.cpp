// SPDX-License-Identifier: Apache-2.0
// The feed-forward block of a transformer: two or three matrix products around GELU, SiLU or ReLU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/catalogue/blocks.h"
#include "sw/kernels/catalogue/case_parts.h"
#include "sw/kernels/catalogue/kernels.h"
#include "sw/reference/kernels/transformer_mlp.h"

namespace tern::kernels {

namespace {

constexpr unsigned kSlab = kMaxContraction;

struct FeedForwardSpec {
  std::uint64_t model = 0, hidden = 0, tokens = 0;
  Activation function = Activation::kGelu;
  bool gated = false;
};

// Features on partitions, tokens along the free axis: the output of one layer is the moving operand
// of the next. Weights stay in SBUF; 512 tokens go through both layers at a time.
class FeedForward {
 public:
  FeedForward(const FeedForwardSpec& spec, const ChipConfig& chip)
      : spec_(spec), kb_("transformer_mlp", chip) {}

  Executable build() {
    const Tensor x = kb_.input("x", DType::kBf16, {spec_.model, spec_.tokens});
    kb_.part("weights");
    w1_ = load_weights("w1", spec_.model, spec_.hidden);
    if (spec_.gated) gate_ = load_weights("gate", spec_.model, spec_.hidden);
    w2_ = load_weights("w2", spec_.hidden, spec_.model);
    b1_ = load_bias("b1", spec_.hidden);
    b2_ = load_bias("b2", spec_.model);
    const Tensor out = kb_.output("out", DType::kBf16, {spec_.model, spec_.tokens});

    const std::uint64_t in_slabs = blocks_of(spec_.model, kSlab);
    const std::uint64_t hidden_slabs = blocks_of(spec_.hidden, kSlab);
    TilePool loads = kb_.sbuf_pool("x", 2 * static_cast<unsigned>(in_slabs), 2 * kMaxMoving);
    TilePool hidden_tiles =
        kb_.sbuf_pool("hidden", 2 * static_cast<unsigned>(hidden_slabs), 2 * kMaxMoving);
    activated_ = kb_.sbuf_pool("activated", 4, 4 * kMaxMoving);
    TilePool results = kb_.sbuf_pool("results", 4, 2 * kMaxMoving);
    sums_ = kb_.psum_pool("sums", kPsumBanks);
    for_blocks(spec_.tokens, kMaxMoving, [&](std::uint64_t token, std::uint32_t count) {
      std::vector<Tile> in, hidden;
      kb_.part("input");
      for_blocks(spec_.model, kSlab, [&](std::uint64_t first, std::uint32_t rows) {
        in.push_back(loads.tile("x", rows, count, DType::kBf16));
        kb_.dma_load(in.back(), x.view(first, rows, token, count));
      });
      kb_.part("hidden layer");
      for_blocks(spec_.hidden, kSlab, [&](std::uint64_t first, std::uint32_t rows) {
        hidden.push_back(hidden_tiles.tile("hidden", rows, count, DType::kBf16));
        make_hidden(in, static_cast<std::uint32_t>(first), hidden.back());
      });
      kb_.part("output layer");
      for_blocks(spec_.model, kSlab, [&](std::uint64_t first, std::uint32_t rows) {
        const Tile sum = product(w2_, hidden, static_cast<std::uint32_t>(first), rows);
        const Tile result = results.tile("result", rows, count, DType::kBf16);
        kb_.tensor_scalar(result, sum, Alu::kAdd, bias(b2_, first, rows));
        kb_.dma_store(out.view(first, rows, token, count), result);
      });
    });
    return kb_.finish();
  }

 private:
  std::vector<Tile> load_weights(const char* name, std::uint64_t rows, std::uint64_t columns) {
    const Tensor tensor = kb_.weight(name, DType::kBf16, {rows, columns});
    const auto free = static_cast<std::uint32_t>(columns);
    std::vector<Tile> slabs;
    for_blocks(rows, kSlab, [&](std::uint64_t first, std::uint32_t count) {
      slabs.push_back(kb_.sbuf_tile(name, count, free, DType::kBf16));
      kb_.dma_load(slabs.back(), tensor.view(first, count, 0, free));
    });
    return slabs;
  }

  // Feature 128 s + p in column s of partition p.
  Tile load_bias(const char* name, std::uint64_t features) {
    const Tensor tensor = kb_.weight(name, DType::kFp32, {1, features});
    const auto slabs = static_cast<std::uint32_t>(blocks_of(features, kSlab));
    const auto partitions = static_cast<unsigned>(std::min<std::uint64_t>(kSlab, features));
    const Tile tile = kb_.sbuf_tile(name, partitions, slabs, DType::kFp32);
    for_blocks(features, kSlab, [&](std::uint64_t first, std::uint32_t count) {
      kb_.dma_load(tile.view(0, count, static_cast<unsigned>(first / kSlab), 1),
                   tensor.column_of_row(0, first, count));
    });
    return tile;
  }

  static TileView bias(const Tile& tile, std::uint64_t first, unsigned rows) {
    return tile.view(0, rows, static_cast<unsigned>(first / kSlab), 1);
  }

  // Columns [first, first + rows) of the weights, times all slabs of x.
  Tile product(const std::vector<Tile>& weights, const std::vector<Tile>& x, std::uint32_t first,
               std::uint32_t rows) {
    const Tile sum = sums_->tile("sum", rows, x.front().free, DType::kFp32);
    for (std::size_t s = 0; s < weights.size(); ++s) {
      kb_.load_stationary(weights[s].view(0, weights[s].partitions, first, rows));
      kb_.multiply_moving(sum, x[s], {s > 0});
    }
    return sum;
  }

  void make_hidden(const std::vector<Tile>& in, std::uint32_t first, const Tile& hidden) {
    const Tile sum = product(w1_, in, first, hidden.partitions);
    const TileView column = bias(b1_, first, hidden.partitions);
    if (!spec_.gated) return kb_.activation(hidden, spec_.function, sum, 1.0f, column);
    const Tile gate = product(gate_, in, first, hidden.partitions);
    const Tile value = activated_->tile("value", hidden.partitions, hidden.free, DType::kFp32);
    kb_.activation(value, spec_.function, sum, 1.0f, column);
    kb_.tensor_tensor(hidden, value, Alu::kMultiply, gate);
  }

  const FeedForwardSpec spec_;
  KernelBuilder kb_;
  std::vector<Tile> w1_, gate_, w2_;
  Tile b1_, b2_;
  std::optional<TilePool> activated_, sums_;
};

KernelCase make_transformer_mlp(const Parameters& parameters, const ChipConfig& chip,
                                std::uint64_t seed) {
  FeedForwardSpec spec;
  spec.model = static_cast<std::uint64_t>(parameters.integer("model", 4, 4096));
  spec.hidden = static_cast<std::uint64_t>(parameters.integer("hidden", 4, 16384));
  spec.tokens = static_cast<std::uint64_t>(parameters.integer("tokens", 1, 1 << 16));
  spec.gated = parameters.flag("gated");
  const std::string function = parameters.choice("function", {"gelu", "silu", "relu"});
  spec.function = function == "gelu"   ? Activation::kGelu
                  : function == "silu" ? Activation::kSilu
                                       : Activation::kRelu;
  if (spec.model % 4 != 0) parameters.fail("model", "a multiple of 4");
  if (spec.hidden % 4 != 0) parameters.fail("hidden", "a multiple of 4");
  const std::uint64_t slabs_in = blocks_of(spec.model, kSlab);
  const std::uint64_t slabs_hidden = blocks_of(spec.hidden, kSlab);
  const std::uint64_t layers = spec.gated ? 2 : 1;
  const std::uint64_t bytes = 2 * (layers * slabs_in * spec.hidden + slabs_hidden * spec.model);
  if (bytes > chip.core.sbuf_partition_bytes * 3 / 4)
    parameters.fail("hidden", "weights that fit into three quarters of SBUF");

  const auto matrix = [&](std::uint64_t rows, std::uint64_t columns, unsigned stream) {
    return random_operand(rows * columns, DType::kBf16, seed, stream, 0,
                          1 / std::sqrt(static_cast<double>(rows)));
  };
  const CaseOperand x = random_operand(spec.model * spec.tokens, DType::kBf16, seed, 0);
  const CaseOperand w1 = matrix(spec.model, spec.hidden, 1);
  const CaseOperand gate = matrix(spec.model, spec.hidden, 2);
  const CaseOperand w2 = matrix(spec.hidden, spec.model, 3);
  const CaseOperand b1 = random_operand(spec.hidden, DType::kFp32, seed, 4, 0, 0.1);
  const CaseOperand b2 = random_operand(spec.model, DType::kFp32, seed, 5, 0, 0.1);
  reference::TransformerMlp mlp;
  mlp.model = spec.model;
  mlp.hidden = spec.hidden;
  mlp.tokens = spec.tokens;
  mlp.function = function == "gelu"   ? reference::MlpFunction::kGelu
                 : function == "silu" ? reference::MlpFunction::kSilu
                                      : reference::MlpFunction::kRelu;
  mlp.w1 = &w1.values;
  mlp.b1 = &b1.values;
  mlp.gate = spec.gated ? &gate.values : nullptr;
  mlp.w2 = &w2.values;
  mlp.b2 = &b2.values;

  KernelCase result;
  result.description =
      fmt::format("{}{} feed-forward {}-{}-{}, {} tokens", spec.gated ? "gated " : "", function,
                  spec.model, spec.hidden, spec.model, spec.tokens);
  result.program = FeedForward(spec, chip).build();
  result.inputs = {x.input("x"), w1.input("w1"), w2.input("w2"), b1.input("b1"), b2.input("b2")};
  if (spec.gated) result.inputs.push_back(gate.input("gate"));
  reference::TransformerMlpResult expected = reference::transformer_mlp(x.values, mlp);
  result.outputs = {{"out",
                     DType::kBf16,
                     {spec.model, spec.tokens},
                     std::move(expected.out),
                     // Then half a unit of the BF16 result.
                     0x1p-8 + rounded_hidden_tolerance(w2.values, expected.hidden, spec.tokens)}};
  const auto tokens = static_cast<double>(spec.tokens);
  const auto in = static_cast<double>(slabs_in), hidden = static_cast<double>(slabs_hidden);
  const auto products = static_cast<double>(layers + 1);
  const double weights = 2.0 * products * static_cast<double>(spec.model * spec.hidden);
  result.cost = {
      tensor_cost(chip, products * in * hidden * tokens,
                  "products x model / 128 x hidden / 128 x tokens"),
      scalar_cost(chip, hidden * tokens, "hidden / 128 x tokens: the activation function"),
      vector_cost(chip, (in + (spec.gated ? hidden : 0)) * tokens,
                  "(model + gated hidden) / 128 x tokens"),
      dma_cost(chip, weights + 4.0 * static_cast<double>(spec.model) * tokens,
               "bytes of weights, x and out")};
  return result;
}

}  // namespace

Kernel transformer_mlp_kernel() {
  return {"transformer_mlp",
          "feed-forward block of a transformer: W2 f(W1 x + b1) + b2, or gated",
          {{"model", "512", "features in and out"},
           {"hidden", "2048", "features between"},
           {"tokens", "512", "columns, 512 at a time"},
           {"function", "gelu", "gelu, silu or relu"},
           {"gated", "false", "true: f(W1 x + b1) times (gate x)"}},
          make_transformer_mlp};
}

}  // namespace tern::kernels

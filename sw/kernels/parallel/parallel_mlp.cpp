// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/parallel/parallel_mlp.h"

#include <algorithm>
#include <optional>

#include "sw/kernels/builder/dma/dma_lists.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/memory/limits.h"

namespace tern::kernels {

namespace {

constexpr unsigned kSlab = kMaxContraction;

// Features on partitions, tokens along the free axis, as in the catalogue's transformer_mlp.
class Part {
 public:
  Part(const ParallelMlpSpec& spec, const ChipConfig& chip)
      : spec_(spec), kb_("parallel_mlp", chip) {}

  Executable build(unsigned part, bool joined) {
    if (joined) kb_.join_parts(part, spec_.parts);
    kb_.part("operands");
    const std::vector<Tile> x = load(kb_.input("x", DType::kBf16, {spec_.model, spec_.tokens}));
    const std::uint32_t hidden = spec_.hidden_of_part();
    const std::vector<Tile> w1 = load(kb_.weight("w1", DType::kBf16, {spec_.model, hidden}));
    const std::vector<Tile> w2 = load(kb_.weight("w2", DType::kBf16, {hidden, spec_.model}));
    const Tensor out = kb_.output("out", DType::kFp32, {spec_.model, spec_.tokens});
    sums_ = kb_.psum_pool("sums", kPsumBanks);
    kb_.part("hidden layer");
    std::vector<Tile> between;
    for (std::uint32_t first = 0; first < hidden; first += kSlab) {
      between.push_back(kb_.sbuf_tile("hidden", kSlab, spec_.tokens, DType::kBf16));
      kb_.activation(between.back(), spec_.function, product(w1, x, first));
    }
    kb_.part("output layer");
    std::vector<Tile> shares;
    for (std::uint32_t first = 0; first < spec_.model; first += kSlab) {
      shares.push_back(kb_.sbuf_tile("out", kSlab, spec_.tokens, DType::kFp32));
      kb_.tensor_copy(shares.back(), product(w2, between, first));
    }
    kb_.part("sum over parts");
    if (joined) kb_.core_sum({shares.begin(), shares.end()});
    for (std::uint32_t first = 0; first < spec_.model; first += kSlab)
      kb_.dma_store(out.view(first, kSlab, 0, spec_.tokens), shares[first / kSlab]);
    return kb_.finish();
  }

 private:
  std::vector<Tile> load(const Tensor& tensor) {
    std::vector<Tile> slabs;
    const auto columns = static_cast<std::uint32_t>(tensor.columns);
    for (std::uint64_t first = 0; first < tensor.rows; first += kSlab) {
      slabs.push_back(kb_.sbuf_tile(tensor.name, kSlab, columns, tensor.dtype));
      kb_.dma_load(slabs.back(), tensor.view(first, kSlab, 0, columns));
    }
    return slabs;
  }

  // Columns [first, first + 128) of the weights, times all slabs of x.
  Tile product(const std::vector<Tile>& weights, const std::vector<Tile>& x, std::uint32_t first) {
    Tile sum = sums_->tile("sum", kSlab, spec_.tokens, DType::kFp32);
    for (std::size_t s = 0; s < weights.size(); ++s) {
      kb_.load_stationary(weights[s].view(0, kSlab, first, kSlab));
      kb_.multiply_moving(sum, x[s], {s > 0});
    }
    return sum;
  }

  const ParallelMlpSpec spec_;
  KernelBuilder kb_;
  std::optional<TilePool> sums_;
};

}  // namespace

Executable build_parallel_mlp(const ParallelMlpSpec& spec, unsigned part, bool joined,
                              const ChipConfig& chip) {
  return Part(spec, chip).build(part, joined);
}

std::vector<float> sum_of_shares(const ParallelMlpSpec& spec,
                                 const std::vector<std::vector<float>>& shares) {
  std::vector<float> sum(shares.front().size());
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const auto partition = static_cast<unsigned>(i / spec.tokens % kSlab);
    unsigned owner = 0;  // the last part whose rows begin at or before it
    for (unsigned part = 0; part < spec.parts; ++part) {
      if (part * kPartitions / spec.parts <= partition) owner = part;
    }
    const auto of = [&](unsigned next) { return shares[(owner + next) % spec.parts][i]; };
    sum[i] = of(0);
    for (unsigned first = 1; first < spec.parts; first += kMaxSources) {
      float others = of(first);
      for (unsigned next = first + 1; next < std::min(first + kMaxSources, spec.parts); ++next)
        others += of(next);
      sum[i] += others;
    }
  }
  return sum;
}

}  // namespace tern::kernels

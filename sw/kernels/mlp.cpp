// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/mlp.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/limits.h"
#include "systemc/config/user_error.h"

namespace tern::kernels {

namespace {

using numerics::DType;

constexpr unsigned kSlab = kMaxContraction;
constexpr std::uint32_t kMaxBatchTile = kMaxMoving;
constexpr std::uint64_t kMaxClasses = kPsumBankColumns;
constexpr unsigned kOutputsPerStep = kPsumBanks / 2;  // output tiles of 128 in flight: half of PSUM
constexpr unsigned kStreamBuffers = 8;

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}
std::uint32_t size32(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}

// Features on partitions, in slabs of 128 side by side: slab s of batch element j is at free index
// s * pitch + j.
struct Activations {
  Tile tile;
  std::uint64_t features = 0;
  std::uint32_t batch = 0, pitch = 0;

  unsigned rows(std::uint64_t slab) const {
    return static_cast<unsigned>(std::min<std::uint64_t>(kSlab, features - slab * kSlab));
  }
  TileView slab(std::uint64_t slab, std::uint32_t first, std::uint32_t count) const {
    return tile.view(0, rows(slab), size32(slab * pitch) + first, count);
  }
};

class Mlp {
 public:
  Mlp(const MlpSpec& spec, const ChipConfig& chip)
      : spec_(spec),
        kb_("mlp", chip),
        sbuf_bytes_(chip.core.sbuf_partition_bytes),
        layers_(spec.sizes.size() - 1),
        classes_(size32(spec.sizes.back())),
        x_(kb_.input("x", spec.dtype, {spec.sizes.front(), spec.batch})) {
    for (std::size_t i = 0; i < layers_; ++i) {
      weights_.push_back(
          kb_.weight("w" + std::to_string(i), spec.dtype, {spec.sizes[i], spec.sizes[i + 1]}));
      biases_.push_back(kb_.weight("b" + std::to_string(i), DType::kFp32, {spec.sizes[i + 1]}));
    }
    logits_ = kb_.output("logits", DType::kFp32, {spec.batch, spec.sizes.back()});
    probabilities_ = kb_.output("probabilities", DType::kFp32, {spec.batch, spec.sizes.back()});
  }

  Executable build() {
    choose_sizes();
    make_tiles();
    for (std::uint64_t first = 0; first < spec_.batch; first += batch_tile_) {
      const auto count = size32(std::min<std::uint64_t>(batch_tile_, spec_.batch - first));
      Activations values = load_input(first, count);
      for (std::size_t layer = 0; layer + 1 < layers_; ++layer) values = hidden(layer, values);
      classify(values, first);
    }
    return kb_.finish();
  }

 private:
  std::uint64_t slabs(std::size_t level) const { return ceil_div(spec_.sizes[level], kSlab); }
  static std::uint32_t pitch_of(std::uint32_t batch) { return (batch + 31) / 32 * 32; }

  std::uint64_t activation_bytes(std::uint32_t batch) const {
    std::uint64_t sum = 0;
    for (std::size_t level = 0; level < layers_; ++level) {
      sum += 2 * slabs(level) * pitch_of(batch) * numerics::dtype_size(spec_.dtype);
    }
    return sum;
  }

  // The largest batch tile whose activations leave half of SBUF to the weights; then whether these
  // fit for good.
  void choose_sizes() {
    batch_tile_ = size32(std::min<std::uint64_t>(kMaxBatchTile, spec_.batch));
    while (batch_tile_ > 64 && activation_bytes(batch_tile_) > sbuf_bytes_ / 2) {
      batch_tile_ = (batch_tile_ + 1) / 2;
    }
    std::uint64_t weight_bytes = 0, other = activation_bytes(batch_tile_);
    for (std::size_t i = 0; i < layers_; ++i) {
      const std::uint64_t row = spec_.sizes[i + 1] * numerics::dtype_size(spec_.dtype);
      weight_bytes += slabs(i) * ((row + 63) / 64 * 64);
      other += (slabs(i + 1) * 4 + 63) / 64 * 64;
    }
    other += kSoftmaxBuffers * (3 * (classes_ * 4 + 63) / 64 * 64 + 3 * 64) + classes_ * 4 + 64;
    resident_ = weight_bytes + other <= sbuf_bytes_;
  }

  void make_tiles() {
    const std::uint32_t size = size32(numerics::dtype_size(spec_.dtype));
    for (std::size_t level = 0; level < layers_; ++level) {
      activations_.push_back(kb_.sbuf_pool("activations" + std::to_string(level), 2,
                                           size32(slabs(level)) * pitch_of(batch_tile_) * size));
    }
    if (!resident_) {
      stream_ = kb_.sbuf_pool("weights", kStreamBuffers, kMaxMoving * size);
    }
    psum_ = kb_.psum_pool("psum", kPsumBanks);
    logit_tiles_ = kb_.sbuf_pool("logits", kSoftmaxBuffers, classes_ * 4);
    exp_tiles_ = kb_.sbuf_pool("exp", kSoftmaxBuffers, classes_ * 4);
    probability_tiles_ = kb_.sbuf_pool("probabilities", kSoftmaxBuffers, classes_ * 4);
    columns_ = kb_.sbuf_pool("columns", 3 * kSoftmaxBuffers, 4);
  }

  Activations make_activations(std::size_t level, std::uint32_t batch) {
    Activations result;
    result.features = spec_.sizes[level];
    result.batch = batch;
    result.pitch = pitch_of(batch);
    const auto partitions = static_cast<unsigned>(std::min<std::uint64_t>(kSlab, result.features));
    result.tile = activations_[level].tile("activations", partitions,
                                           size32(slabs(level)) * result.pitch, spec_.dtype);
    return result;
  }

  Activations load_input(std::uint64_t first, std::uint32_t count) {
    Activations x = make_activations(0, count);
    const auto whole = size32(x.features / kSlab);  // slabs of 128 features: one transfer
    if (whole > 0) {
      kb_.dma_load(x.tile.view_2d(0, kSlab, 0, whole, count, x.pitch),
                   x_.slabs(0, kSlab, whole, kSlab, first, count));
    }
    if (whole < slabs(0)) {
      kb_.dma_load(x.slab(whole, 0, count),
                   x_.view(whole * std::uint64_t{kSlab}, x.rows(whole), first, count));
    }
    return x;
  }

  // Columns [first, first + count) of one slab of a layer's weights.
  TileView weight(std::size_t layer, std::uint64_t slab, std::uint64_t first, std::uint32_t count) {
    const std::uint64_t row = slab * kSlab;
    const auto rows =
        static_cast<unsigned>(std::min<std::uint64_t>(kSlab, spec_.sizes[layer] - row));
    const std::string name = "w" + std::to_string(layer);
    if (!resident_) {
      const Tile tile = stream_->tile(name, rows, count, spec_.dtype);
      kb_.dma_load(tile, weights_[layer].view(row, rows, first, count));
      return tile;
    }
    const auto key = std::make_pair(layer, slab);
    auto known = resident_weights_.find(key);
    if (known == resident_weights_.end()) {
      const Tile tile = kb_.sbuf_tile(name, rows, size32(spec_.sizes[layer + 1]), spec_.dtype);
      kb_.dma_load(tile, weights_[layer].view(row, rows, 0, tile.free));
      known = resident_weights_.emplace(key, tile).first;
    }
    return known->second.view(0, rows, size32(first), count);
  }

  // Biases of a hidden layer: output tile m in column m, one feature per partition.
  const Tile& hidden_bias(std::size_t layer) {
    const auto known = bias_tiles_.find(layer);
    if (known != bias_tiles_.end()) return known->second;
    const std::uint64_t outputs = spec_.sizes[layer + 1];
    const Tile tile = kb_.sbuf_tile("b" + std::to_string(layer),
                                    static_cast<unsigned>(std::min<std::uint64_t>(kSlab, outputs)),
                                    size32(slabs(layer + 1)), DType::kFp32);
    for (std::uint32_t m = 0; m < tile.free; ++m) {
      const std::uint64_t first = m * std::uint64_t{kSlab};
      const auto count = static_cast<unsigned>(std::min<std::uint64_t>(kSlab, outputs - first));
      kb_.dma_load(tile.view(0, count, m, 1), biases_[layer].column_of_row(0, first, count));
    }
    return bias_tiles_[layer] = tile;
  }

  // out[features, batch] = relu(W^T in + b): W stationary, activations moving.
  Activations hidden(std::size_t layer, const Activations& in) {
    const Tile& bias = hidden_bias(layer);
    Activations out = make_activations(layer + 1, in.batch);
    const std::uint64_t tiles = slabs(layer + 1);
    for (std::uint64_t first = 0; first < tiles; first += kOutputsPerStep) {
      const std::uint64_t end = std::min<std::uint64_t>(first + kOutputsPerStep, tiles);
      std::vector<Tile> sums;
      std::uint32_t columns = 0;
      for (std::uint64_t m = first; m < end; ++m) {
        sums.push_back(psum_->tile("sum", out.rows(m), in.batch, DType::kFp32));
        columns += out.rows(m);
      }
      for (std::uint64_t slab = 0; slab < slabs(layer); ++slab) {
        const TileView w = weight(layer, slab, first * kSlab, columns);
        for (std::uint64_t m = first; m < end; ++m) {
          kb_.nc_matmul(sums[m - first],
                        w.columns(static_cast<unsigned>((m - first) * kSlab), out.rows(m)),
                        in.slab(slab, 0, in.batch), slab > 0);
        }
      }
      for (std::uint64_t m = first; m < end; ++m) {
        kb_.activation(out.slab(m, 0, in.batch), Activation::kRelu, sums[m - first], 1.0f,
                       bias.view(0, out.rows(m), static_cast<unsigned>(m), 1));
      }
    }
    return out;
  }

  // The last layer with classes on the free axis: activations stationary, W moving; then softmax
  // along classes.
  void classify(const Activations& in, std::uint64_t first) {
    const std::size_t layer = layers_ - 1;
    if (!class_bias_) {
      class_bias_ = kb_.sbuf_tile("b" + std::to_string(layer), kPartitions, classes_, DType::kFp32);
      kb_.dma_load(*class_bias_, biases_[layer].replicated(0, kPartitions, 0, classes_));
    }
    struct Part {
      std::uint32_t at;
      unsigned rows;
      Tile sum;
    };
    std::vector<Part> parts;  // at most 4: batch tiles of 128
    for (std::uint32_t at = 0; at < in.batch; at += kMaxStationary) {
      const unsigned rows = std::min(kMaxStationary, in.batch - at);
      parts.push_back({at, rows, psum_->tile("logits", rows, classes_, DType::kFp32)});
    }
    for (std::uint64_t slab = 0; slab < slabs(layer); ++slab) {
      const TileView w = weight(layer, slab, 0, classes_);
      for (const Part& part : parts) {
        kb_.nc_matmul(part.sum, in.slab(slab, part.at, part.rows), w, slab > 0);
      }
    }
    for (const Part& part : parts) softmax(part.sum, first + part.at, part.rows);
  }

  void softmax(const Tile& sum, std::uint64_t row, unsigned rows) {
    const DType fp32 = DType::kFp32;
    const Tile logits = logit_tiles_->tile("logits", rows, classes_, fp32);
    const Tile exps = exp_tiles_->tile("exp", rows, classes_, fp32);
    const Tile result = probability_tiles_->tile("probabilities", rows, classes_, fp32);
    const Tile minus_max = columns_->tile("minus_max", rows, 1, fp32);
    const Tile total = columns_->tile("total", rows, 1, fp32);
    const Tile inverse = columns_->tile("inverse", rows, 1, fp32);
    kb_.tensor_tensor(logits, sum, Alu::kAdd, class_bias_->view(0, rows, 0, classes_));
    kb_.dma_store(logits_.view(row, rows, 0, classes_), logits);
    kb_.tensor_reduce(minus_max, Alu::kMax, logits, true);
    kb_.activation(exps, Activation::kExp, logits, 1.0f, minus_max);
    kb_.tensor_reduce(total, Alu::kAdd, exps);
    kb_.reciprocal(inverse, total);
    kb_.tensor_scalar(result, exps, Alu::kMultiply, inverse);
    kb_.dma_store(probabilities_.view(row, rows, 0, classes_), result);
  }

  static constexpr unsigned kSoftmaxBuffers = 4;

  MlpSpec spec_;
  KernelBuilder kb_;
  std::uint64_t sbuf_bytes_;
  std::size_t layers_;
  std::uint32_t classes_;
  Tensor x_, logits_, probabilities_;
  std::vector<Tensor> weights_, biases_;
  std::uint32_t batch_tile_ = 0;
  bool resident_ = false;
  std::vector<TilePool> activations_;  // one per level: the input, then each hidden layer's result
  std::optional<TilePool> stream_, psum_, logit_tiles_, exp_tiles_, probability_tiles_, columns_;
  std::map<std::pair<std::size_t, std::uint64_t>, Tile> resident_weights_;
  std::map<std::size_t, Tile> bias_tiles_;
  std::optional<Tile> class_bias_;
};

void check(const MlpSpec& spec) {
  if (spec.sizes.size() < 2) throw UserError("mlp: expected at least one layer");
  for (const std::uint64_t size : spec.sizes) {
    if (size == 0) throw UserError("mlp: expected every layer size to be at least 1");
  }
  if (spec.batch == 0) throw UserError("mlp: expected a batch of at least 1");
  if (spec.sizes.back() > kMaxClasses) {
    throw UserError("mlp: expected at most 512 classes, got " + std::to_string(spec.sizes.back()));
  }
  if (spec.dtype != DType::kBf16 && spec.dtype != DType::kFp16) {
    throw UserError("mlp: expected bf16 or fp16, got " +
                    std::string(numerics::dtype_name(spec.dtype)));
  }
}

}  // namespace

Executable build_mlp(const MlpSpec& spec, const ChipConfig& chip) {
  check(spec);
  return Mlp(spec, chip).build();
}

}  // namespace tern::kernels

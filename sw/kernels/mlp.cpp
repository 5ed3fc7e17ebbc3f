// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/mlp.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/memory/limits.h"

namespace tern::kernels {

namespace {

using numerics::DType;

constexpr unsigned kSlab = kMaxContraction;
constexpr std::uint32_t kChunk = kMaxMoving;     // batch elements of one matmul of a hidden layer
constexpr std::uint32_t kMaxBlock = 4 * kChunk;  // BF16 rows of 4 KiB: DMA at nearly full rate
constexpr std::uint32_t kMinBlock = 64;
constexpr std::uint64_t kMaxClasses = kPsumBankColumns;
constexpr std::uint32_t kMaxBlockLogits = 2048;  // per partition: rows of 8 KiB
constexpr unsigned kBanksPerStep = kPsumBanks / 2;
constexpr unsigned kStreamBuffers = 8;
constexpr unsigned kInputBuffers = 3;  // one computed, one loaded, one triggered ahead
constexpr unsigned kBuffers = 2;

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}
std::uint64_t round_up(std::uint64_t a, std::uint64_t multiple) {
  return ceil_div(a, multiple) * multiple;
}
std::uint32_t size32(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}

// Consecutive batch elements computed together. The last layer sees them as `groups` stationary
// tiles of `rows`; its results, [rows, groups x classes], go through the softmax at once.
struct Block {
  std::uint64_t first = 0;
  std::uint32_t rows = 0, groups = 1;

  std::uint32_t count() const { return rows * groups; }
};

// Features on partitions, in slabs of 128 side by side. Hidden layers hold the batch group by
// group: element p * groups + g at p of group g. Then partition p of the last layer's results holds
// `groups` consecutive rows: one long run of a DMA store. The input is in the order of the batch;
// the first layer's moving pattern reorders it. Without a hidden layer groups are parts of
// the input as it is.
struct Activations {
  Tile tile;
  std::uint64_t features = 0;
  Block block;
  bool batch_order = false;

  std::uint32_t group_pitch() const {  // stationary tiles begin at multiples of 8 bytes
    return batch_order ? block.rows : size32(round_up(block.rows, kStationaryAlignment / 2));
  }
  std::uint32_t slab_pitch() const {
    return size32(round_up(std::uint64_t{group_pitch()} * block.groups, 32));
  }
  unsigned rows(std::uint64_t slab) const {
    return static_cast<unsigned>(std::min<std::uint64_t>(kSlab, features - slab * kSlab));
  }
  // The input, in the order of the batch.
  TileView all(std::uint64_t slab) const {
    return tile.view(0, rows(slab), size32(slab * slab_pitch()), block.count());
  }
  // Elements of groups [first, first + count), group by group.
  TileView chunk(std::uint64_t slab, std::uint32_t first, std::uint32_t count) const {
    const std::uint32_t start = size32(slab * slab_pitch());
    if (batch_order) {
      TileView view = tile.view_2d(0, rows(slab), start + first, block.rows, count, block.groups);
      return view.transposed();
    }
    return tile.view_2d(0, rows(slab), start + first * group_pitch(), count, block.rows,
                        group_pitch());
  }
  // A group as stationary tile of the last layer.
  TileView group(std::uint64_t slab, std::uint32_t index) const {
    return tile.view(0, rows(slab), size32(slab * slab_pitch()) + index * group_pitch(),
                     block.rows);
  }
};

// Of a hidden layer, in one PSUM bank: output tile `output` for groups [first, first + groups).
struct Sum {
  std::uint64_t output;
  std::uint32_t first, groups;
  Tile tile;
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
    for (std::uint64_t first = 0; first < spec_.batch;) {
      const Block block = next_block(first);
      Activations values = load_input(block);
      for (std::size_t layer = 0; layer + 1 < layers_; ++layer) values = hidden(layer, values);
      classify_waiting();
      waiting_ = values;
      first += block.count();
    }
    classify_waiting();
    return kb_.finish();
  }

 private:
  std::uint64_t slabs(std::size_t level) const { return ceil_div(spec_.sizes[level], kSlab); }
  std::uint64_t input_size() const { return numerics::dtype_size(spec_.dtype); }
  static unsigned buffers(std::size_t level) { return level == 0 ? kInputBuffers : kBuffers; }

  // SBUF per partition that depends on the width of a block.
  std::uint64_t block_bytes(std::uint32_t width) const {
    std::uint64_t sum = 0;
    for (std::size_t level = 0; level < layers_; ++level) {
      sum += buffers(level) * slabs(level) * width * input_size();
    }
    const std::uint64_t groups = ceil_div(width, kMaxStationary);
    return sum + kBuffers * (2 * round_up(groups * classes_ * 4, 64) + 3 * 64);
  }

  std::uint64_t weight_bytes() const {
    std::uint64_t sum = round_up(classes_ * 4, 64);
    for (std::size_t i = 0; i < layers_; ++i) {
      sum += slabs(i) * round_up(spec_.sizes[i + 1] * input_size(), 64);
      sum += round_up(slabs(i + 1) * 4, 64);
    }
    return sum;
  }

  // Weights stay in SBUF if that leaves room for blocks of a chunk; the wider the better for DMA.
  // Otherwise they are streamed, and blocks take half of SBUF at most.
  void choose_sizes() {
    width_ = kMaxBlock;
    const auto too_wide = [&] {
      return width_ / 2 >= spec_.batch || width_ / kMaxStationary * classes_ > kMaxBlockLogits;
    };
    const auto fits = [&] { return block_bytes(width_) + weight_bytes() <= sbuf_bytes_; };
    while (width_ > kMinBlock && too_wide()) width_ /= 2;
    while (width_ > kChunk && !fits()) width_ /= 2;
    while (width_ > kMinBlock && !fits() && block_bytes(width_) > sbuf_bytes_ / 2) width_ /= 2;
    resident_ = fits();
  }

  // The last elements come in two blocks: less remains to be done after the last load.
  Block next_block(std::uint64_t first) const {
    const std::uint64_t left = spec_.batch - first;
    const std::uint32_t width = left <= width_ && width_ > kChunk ? width_ / 2 : width_;
    const auto count = size32(std::min<std::uint64_t>(width, left));
    Block block{first, std::min(count, kMaxStationary), 1};
    if (layers_ == 1) {
      block.groups = count / block.rows;  // the rest becomes a separate block
      return block;
    }
    while (block.groups * kMaxStationary < count) block.groups *= 2;  // divides kChunk
    block.rows = count / block.groups;
    return block;
  }

  void make_tiles() {
    const auto size = size32(input_size());
    for (std::size_t level = 0; level < layers_; ++level) {
      activations_.push_back(kb_.sbuf_pool("activations" + std::to_string(level), buffers(level),
                                           size32(slabs(level)) * width_ * size));
    }
    if (!resident_) {
      stream_ = kb_.sbuf_pool("weights", kStreamBuffers, kMaxMoving * size);
    }
    psum_ = kb_.psum_pool("psum", kPsumBanks);
    const std::uint32_t groups = size32(ceil_div(width_, kMaxStationary));
    logit_tiles_ = kb_.sbuf_pool("logits", kBuffers, groups * classes_ * 4);
    probability_tiles_ = kb_.sbuf_pool("probabilities", kBuffers, groups * classes_ * 4);
    columns_ = kb_.sbuf_pool("columns", 3 * kBuffers, groups * 4);
  }

  Activations make_activations(std::size_t level, const Block& block) {
    Activations result;
    result.features = spec_.sizes[level];
    result.block = block;
    result.batch_order = level == 0;
    const auto partitions = static_cast<unsigned>(std::min<std::uint64_t>(kSlab, result.features));
    result.tile = activations_[level].tile("activations", partitions,
                                           size32(slabs(level)) * result.slab_pitch(), spec_.dtype);
    return result;
  }

  // Everything else that stays in SBUF, before the second block fills the rings.
  void load_parameters() {
    for (std::size_t layer = 0; layer + 1 < layers_; ++layer) hidden_bias(layer);
    class_bias();
    if (!resident_) return;
    for (std::size_t layer = 0; layer < layers_; ++layer) {
      for (std::uint64_t slab = 0; slab < slabs(layer); ++slab) resident_weight(layer, slab);
    }
  }

  // One transfer per slab, after the weights that meet it: the first matmul starts when the first
  // of them has arrived.
  Activations load_input(const Block& block) {
    kb_.part("input");
    Activations x = make_activations(0, block);
    for (std::uint64_t slab = 0; slab < slabs(0); ++slab) {
      if (resident_) resident_weight(0, slab);
      kb_.dma_load(x.all(slab), x_.view(slab * kSlab, x.rows(slab), block.first, block.count()));
    }
    if (block.first == 0) load_parameters();
    return x;
  }

  unsigned weight_rows(std::size_t layer, std::uint64_t slab) const {
    return static_cast<unsigned>(std::min<std::uint64_t>(kSlab, spec_.sizes[layer] - slab * kSlab));
  }

  // One slab of a layer's weights, loaded at the first use.
  const Tile& resident_weight(std::size_t layer, std::uint64_t slab) {
    const auto key = std::make_pair(layer, slab);
    const auto known = resident_weights_.find(key);
    if (known != resident_weights_.end()) return known->second;
    const unsigned rows = weight_rows(layer, slab);
    const Tile tile = kb_.sbuf_tile("w" + std::to_string(layer), rows,
                                    size32(spec_.sizes[layer + 1]), spec_.dtype);
    kb_.dma_load(tile, weights_[layer].view(slab * kSlab, rows, 0, tile.free));
    return resident_weights_.emplace(key, tile).first->second;
  }

  // Columns [first, first + count) of one slab of a layer's weights.
  TileView weight(std::size_t layer, std::uint64_t slab, std::uint64_t first, std::uint32_t count) {
    const unsigned rows = weight_rows(layer, slab);
    if (resident_) return resident_weight(layer, slab).view(0, rows, size32(first), count);
    const Tile tile = stream_->tile("w" + std::to_string(layer), rows, count, spec_.dtype);
    kb_.dma_load(tile, weights_[layer].view(slab * kSlab, rows, first, count));
    return tile;
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

  // What follows belongs to this layer.
  void begin_hidden(std::size_t layer) { kb_.part("layer " + std::to_string(layer + 1)); }

  // out[features, batch] = relu(W^T in + b): W stationary, activations moving. A step takes half of
  // PSUM, the other half is evicted meanwhile: all chunks of the block, so that the tensor engine
  // follows the loads slab by slab, and as many output tiles as then fit.
  Activations hidden(std::size_t layer, const Activations& in) {
    begin_hidden(layer);
    Activations out = make_activations(layer + 1, in.block);
    const std::uint64_t tiles = slabs(layer + 1);
    const Block& block = in.block;
    const std::uint32_t per_bank = kMaxMoving / block.rows;
    const std::uint64_t per_step = kBanksPerStep / ceil_div(block.groups, per_bank);
    for (std::uint64_t first = 0; first < tiles; first += per_step) {
      const std::uint64_t end = std::min(first + per_step, tiles);
      std::vector<Sum> sums;
      for (std::uint64_t m = first; m < end; ++m) {
        for (std::uint32_t g = 0; g < block.groups; g += per_bank) {
          const std::uint32_t groups = std::min(per_bank, block.groups - g);
          sums.push_back(
              {m, g, groups, psum_->tile("sum", out.rows(m), groups * block.rows, DType::kFp32)});
        }
      }
      accumulate(layer, in, sums);
      evict(layer, sums, out);
    }
    return out;
  }

  void accumulate(std::size_t layer, const Activations& in, const std::vector<Sum>& sums) {
    const std::uint64_t first = sums.front().output;
    const std::uint32_t columns =
        size32((sums.back().output - first) * kSlab) + sums.back().tile.partitions;
    for (std::uint64_t slab = 0; slab < slabs(layer); ++slab) {
      const TileView w = weight(layer, slab, first * kSlab, columns);
      for (const Sum& sum : sums) {
        if (sum.first == 0) {
          kb_.load_stationary(w.columns(size32((sum.output - first) * kSlab), sum.tile.partitions));
        }
        kb_.multiply_moving(sum.tile, in.chunk(slab, sum.first, sum.groups), slab > 0);
      }
      // Only now: meanwhile the last ReLU of the block before has been computed.
      if (slab + 1 == std::min<std::uint64_t>(2, slabs(layer))) {
        classify_waiting();
        begin_hidden(layer);
      }
    }
  }

  // ReLU on Scalar and Vector alternately: max(x + b, 0) has the same bits.
  void evict(std::size_t layer, const std::vector<Sum>& sums, const Activations& out) {
    const Tile& biases = hidden_bias(layer);
    bool scalar = true;
    for (const Sum& sum : sums) {
      const TileView to = out.chunk(sum.output, sum.first, sum.groups);
      const TileView bias = biases.view(0, to.partitions, size32(sum.output), 1);
      if (scalar) {
        kb_.activation(to, Activation::kRelu, sum.tile, 1.0f, bias);
      } else {
        kb_.tensor_scalar(to, sum.tile, Alu::kAdd, bias, Alu::kMax, 0.0f);
      }
      scalar = !scalar;
    }
  }

  void classify_waiting() {
    if (waiting_) classify(*waiting_);
    waiting_.reset();
  }

  // The last layer with classes on the free axis: activations stationary, W moving. A PSUM bank
  // takes the results of as many groups as fit.
  void classify(const Activations& in) {
    const std::size_t layer = layers_ - 1;
    kb_.part("layer " + std::to_string(layers_) + ", softmax");
    const Block& block = in.block;
    const std::uint32_t per_bank = kPsumBankColumns / classes_;
    std::vector<Tile> sums;
    for (std::uint32_t first = 0; first < block.groups; first += per_bank) {
      const std::uint32_t groups = std::min(per_bank, block.groups - first);
      sums.push_back(psum_->tile("logits", block.rows, groups * classes_, DType::kFp32));
    }
    for (std::uint64_t slab = 0; slab < slabs(layer); ++slab) {
      const TileView w = weight(layer, slab, 0, classes_);
      for (std::uint32_t g = 0; g < block.groups; ++g) {
        kb_.nc_matmul(sums[g / per_bank].view(0, block.rows, g % per_bank * classes_, classes_),
                      in.group(slab, g), w, slab > 0);
      }
    }
    const Tile logits = add_class_bias(block, sums);
    store(logits_, block, logits);
    store(probabilities_, block, softmax(block, logits));
  }

  const Tile& class_bias() {
    if (!class_bias_) {
      class_bias_ =
          kb_.sbuf_tile("b" + std::to_string(layers_ - 1), kPartitions, classes_, DType::kFp32);
      kb_.dma_load(*class_bias_, biases_.back().replicated(0, kPartitions, 0, classes_));
    }
    return *class_bias_;
  }

  // Out of PSUM at once: its banks are free for the next block.
  Tile add_class_bias(const Block& block, const std::vector<Tile>& sums) {
    const TileView bias = class_bias().view(0, block.rows, 0, classes_);
    Tile logits = logit_tiles_->tile("logits", block.rows, block.groups * classes_, DType::kFp32);
    std::uint32_t at = 0;
    for (const Tile& sum : sums) {
      kb_.tensor_tensor(logits.view(0, block.rows, at, sum.free), sum, Alu::kAdd,
                        bias.repeated(sum.free / classes_));
      at += sum.free;
    }
    return logits;
  }

  // Of all groups at once: one instruction costs at least 64 cycles and some 100 of latency, ten
  // classes a tenth of that. Values that belong to a row are a column per group, read with step 0.
  Tile softmax(const Block& block, const Tile& logits) {
    const unsigned rows = block.rows, groups = block.groups;
    const auto by_row = [&](const Tile& tile) {
      return tile.view_2d(0, rows, 0, groups, classes_, classes_);
    };
    const auto column = [&](const char* name) {
      return columns_->tile(name, rows, groups, DType::kFp32);
    };
    const Tile minus_max = column("minus_max"), total = column("total"),
               inverse = column("inverse");
    Tile result = probability_tiles_->tile("probabilities", rows, groups * classes_, DType::kFp32);
    kb_.tensor_reduce(minus_max, Alu::kMax, by_row(logits), true);
    kb_.tensor_tensor(by_row(result), by_row(logits), Alu::kAdd,
                      minus_max.view().each_repeated(classes_));
    kb_.activation(result, Activation::kExp, result);
    kb_.tensor_reduce(total, Alu::kAdd, by_row(result));
    kb_.reciprocal(inverse, total);
    kb_.tensor_tensor(by_row(result), by_row(result), Alu::kMultiply,
                      inverse.view().each_repeated(classes_));
    return result;
  }

  void store(const Tensor& tensor, const Block& block, const Tile& tile) {
    kb_.dma_store(
        layers_ > 1 ? tensor.rows_on_partitions(block.first, block.rows, block.groups)
                    : tensor.slabs(block.first, block.rows, block.groups, block.rows, 0, classes_),
        tile);
  }

  MlpSpec spec_;
  KernelBuilder kb_;
  std::uint64_t sbuf_bytes_;
  std::size_t layers_;
  std::uint32_t classes_;
  Tensor x_, logits_, probabilities_;
  std::vector<Tensor> weights_, biases_;
  std::uint32_t width_ = 0;  // of the largest block
  bool resident_ = false;
  std::optional<Activations> waiting_;  // the last hidden layer's result of the previous block
  std::vector<TilePool> activations_;   // one per level: the input, then each hidden layer's result
  std::optional<TilePool> stream_, psum_, logit_tiles_, probability_tiles_, columns_;
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

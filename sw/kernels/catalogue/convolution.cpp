// SPDX-License-Identifier: Apache-2.0
// Convolution as matrix products: for every tap of the window, weights [channels, filters] are
// stationary and the image, seen with the tap's offset and the stride as step, is moving. Products
// of all taps meet in PSUM; im2col exists only as a pattern.
#include <fmt/format.h>

#include <cmath>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/catalogue/blocks.h"
#include "sw/kernels/catalogue/case_parts.h"
#include "sw/kernels/catalogue/kernels.h"
#include "sw/reference/kernels/convolution.h"

namespace tern::kernels {

namespace {

using reference::Window;

constexpr unsigned kSlab = kMaxContraction;

class Convolution {
 public:
  Convolution(const Window& window, std::uint32_t filters, const ChipConfig& chip)
      : w_(window),
        filters_(filters),
        kb_("convolution", chip),
        padded_width_(static_cast<std::uint32_t>(w_.width + 2 * w_.padding)),
        padded_height_(static_cast<std::uint32_t>(w_.height + 2 * w_.padding)),
        out_width_(static_cast<std::uint32_t>(w_.out_width())),
        slabs_(static_cast<std::uint32_t>(blocks_of(w_.channels, kSlab))) {}

  Executable build() {
    load();
    const Tensor out =
        kb_.output("out", DType::kFp32, {filters_, w_.out_height() * w_.out_width()});
    const std::uint32_t band = kPsumBankColumns / out_width_;  // output rows of a bank
    TilePool sums = kb_.psum_pool("sums", kPsumBanks);
    TilePool results = kb_.sbuf_pool("results", 4, 4 * band * out_width_);
    for_blocks(filters_, kMaxStationary, [&](std::uint64_t filter, std::uint32_t count) {
      for_blocks(w_.out_height(), band, [&](std::uint64_t row, std::uint32_t rows) {
        const Tile sum = sums.tile("sum", count, rows * out_width_, DType::kFp32);
        multiply(sum, static_cast<std::uint32_t>(filter), static_cast<std::uint32_t>(row), rows);
        const Tile result = results.tile("result", count, sum.free, DType::kFp32);
        kb_.tensor_copy(result, sum, scalar_ ? Engine::kScalar : Engine::kVector);
        scalar_ = !scalar_;
        kb_.dma_store(out.view(filter, count, row * out_width_, sum.free), result);
      });
    });
    return kb_.finish();
  }

 private:
  unsigned channels(std::uint32_t slab) const {
    return static_cast<unsigned>(std::min<std::uint64_t>(kSlab, w_.channels - slab * kSlab));
  }

  // Images with their border of zeros; the weights of all taps of a slab side by side.
  void load() {
    const Tensor x = kb_.input("x", DType::kBf16, {w_.channels, w_.height * w_.width});
    const auto taps = static_cast<std::uint32_t>(w_.size * w_.size);
    const Tensor weights = kb_.weight("weights", DType::kBf16, {taps * w_.channels, filters_});
    pitch_ = static_cast<std::uint32_t>(blocks_of(filters_, 4) * 4);  // 8-byte stationary tiles
    for (std::uint32_t slab = 0; slab < slabs_; ++slab) {
      const unsigned count = channels(slab);
      const Tile image =
          kb_.sbuf_tile("image", count, padded_height_ * padded_width_, DType::kBf16);
      if (w_.padding > 0) kb_.memset(image, 0.0f);
      const auto inside = static_cast<std::uint32_t>(w_.padding * padded_width_ + w_.padding);
      const auto height = static_cast<std::uint32_t>(w_.height),
                 width = static_cast<std::uint32_t>(w_.width);
      kb_.dma_load(image.view_2d(0, count, inside, height, width, padded_width_),
                   x.view(std::uint64_t{slab} * kSlab, count, 0, height * width));
      images_.push_back(image);
      const Tile tile = kb_.sbuf_tile("weights", count, taps * pitch_, DType::kBf16);
      for (std::uint32_t tap = 0; tap < taps; ++tap) {
        kb_.dma_load(
            tile.view(0, count, tap * pitch_, filters_),
            weights.view(tap * w_.channels + std::uint64_t{slab} * kSlab, count, 0, filters_));
      }
      weights_.push_back(tile);
    }
  }

  void multiply(const Tile& sum, std::uint32_t filter, std::uint32_t row, std::uint32_t rows) {
    bool first = true;
    for (std::uint32_t slab = 0; slab < slabs_; ++slab) {
      for (std::uint32_t i = 0; i < w_.size; ++i) {
        for (std::uint32_t j = 0; j < w_.size; ++j) {
          const auto tap = static_cast<std::uint32_t>(i * w_.size + j);
          const auto stride = static_cast<std::uint32_t>(w_.stride);
          TileView moving =
              images_[slab].view(0, channels(slab), (row * stride + i) * padded_width_ + j, 1);
          moving.num0 = out_width_;
          moving.step0 = static_cast<std::int32_t>(stride);
          moving.num1 = rows;
          moving.step1 = rows > 1 ? static_cast<std::int32_t>(stride * padded_width_) : 0;
          kb_.load_stationary(
              weights_[slab].view(0, channels(slab), tap * pitch_ + filter, sum.partitions));
          kb_.multiply_moving(sum, moving, {!first});
          first = false;
        }
      }
    }
  }

  const Window w_;
  const std::uint32_t filters_;
  KernelBuilder kb_;
  const std::uint32_t padded_width_, padded_height_, out_width_, slabs_;
  std::uint32_t pitch_ = 0;
  std::vector<Tile> images_, weights_;
  bool scalar_ = false;
};

KernelCase make_convolution(const Parameters& parameters, const ChipConfig& chip,
                            std::uint64_t seed) {
  Window w;
  w.channels = static_cast<std::size_t>(parameters.integer("channels", 1, 1024));
  w.height = static_cast<std::size_t>(parameters.integer("height", 1, 224));
  w.width = static_cast<std::size_t>(parameters.integer("width", 1, 224));
  w.size = static_cast<std::size_t>(parameters.integer("window", 1, 11));
  w.stride = static_cast<std::size_t>(parameters.integer("stride", 1, 8));
  w.padding = static_cast<std::size_t>(parameters.integer("padding", 0, 8));
  const auto filters = static_cast<std::uint32_t>(parameters.integer("filters", 1, 2048));
  if (w.size > std::min(w.height, w.width) + 2 * w.padding)
    parameters.fail("window", "at most the padded image");

  const std::size_t taps = w.size * w.size;
  const CaseOperand x = random_operand(w.channels * w.height * w.width, DType::kBf16, seed, 0);
  const CaseOperand weights =
      random_operand(taps * w.channels * filters, DType::kBf16, seed, 1, 0,
                     1.0 / std::sqrt(static_cast<double>(taps * w.channels)));
  KernelCase result;
  result.description =
      fmt::format("convolution {}x{}, stride {}, padding {}, of [{}, {}, {}] by {} filters", w.size,
                  w.size, w.stride, w.padding, w.channels, w.height, w.width, filters);
  result.program = Convolution(w, filters, chip).build();
  result.inputs = {x.input("x"), weights.input("weights")};
  const auto pixels = static_cast<double>(w.out_height() * w.out_width());
  result.outputs = {{"out",
                     DType::kFp32,
                     {filters, w.out_height(), w.out_width()},
                     reference::convolution(x.values, weights.values, filters, w),
                     2e-5}};
  const auto tiles = static_cast<double>(blocks_of(filters, kMaxStationary));
  const auto slabs = static_cast<double>(blocks_of(w.channels, kSlab));
  const double bytes =
      2.0 * static_cast<double>(x.values.size() + weights.values.size()) + 4.0 * filters * pixels;
  result.cost = {
      tensor_cost(chip, tiles * slabs * static_cast<double>(taps) * pixels,
                  "filters / 128 x channels / 128 x taps x output pixels"),
      vector_cost(chip, tiles * pixels / 2, "half of filters / 128 x output pixels, evicted"),
      scalar_cost(chip, tiles * pixels / 2 - kPsumBankColumns, "the other half, but one bank"),
      dma_cost(chip, bytes, "bytes of x, weights and out")};
  return result;
}

}  // namespace

Kernel convolution_kernel() {
  return {"convolution",
          "2-D convolution of an image [channels, height, width] in BF16",
          {{"channels", "64", "input channels"},
           {"height", "28", "rows of the image"},
           {"width", "28", "columns of the image"},
           {"filters", "128", "output channels"},
           {"window", "3", "rows and columns of a filter"},
           {"stride", "1", "distance between windows"},
           {"padding", "1", "zeros around the image"}},
          make_convolution};
}

}  // namespace tern::kernels

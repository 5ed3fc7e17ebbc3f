// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of an image: a separate square filter for every channel.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/catalogue/blocks.h"
#include "sw/kernels/catalogue/case_parts.h"
#include "sw/kernels/catalogue/kernels.h"
#include "sw/reference/kernels/convolution.h"

namespace tern::kernels {

namespace {

using reference::Window;

// Pixels that are processed together: of the output, and of the padded input.
constexpr std::uint32_t kBandPixels = 2048, kInputPixels = 6144;

struct Geometry {
  explicit Geometry(const Window& window)
      : size(static_cast<std::uint32_t>(window.size)),
        stride(static_cast<std::uint32_t>(window.stride)),
        padding(static_cast<std::uint32_t>(window.padding)),
        height(static_cast<std::uint32_t>(window.height)),
        width(static_cast<std::uint32_t>(window.width)),
        pitch(width + 2 * padding),
        out_height(static_cast<std::uint32_t>(window.out_height())),
        out_width(static_cast<std::uint32_t>(window.out_width())) {
    const std::uint32_t most_rows = std::max(size, kInputPixels / pitch);
    band = std::min({out_height, std::max(1u, kBandPixels / (out_width * stride)),
                     (most_rows - size) / stride + 1});
  }
  std::uint32_t in_rows(std::uint32_t out_rows) const { return (out_rows - 1) * stride + size; }
  std::uint32_t taps() const { return size * size; }
  // Vector multiplies and adds at once; the other taps are multiplied by Scalar and added
  // up by GpSimd. With v of t taps, Vector takes 1 + 2 (v - 1) cycles per pixel, and 2 to add both
  // sums; GpSimd 2 (t - v - 1): about the same for half of them each.
  std::uint32_t vector_taps() const { return (taps() - 1) / 2; }

  std::uint32_t size, stride, padding, height, width;
  std::uint32_t pitch;  // elements of a padded row
  std::uint32_t out_height, out_width;
  std::uint32_t band;  // output rows that are processed together
};

// Channels on partitions, a tap's weights as a column. A tap of all pixels of a band is a view of
// the padded band with the stride as its step.
class Depthwise {
 public:
  Depthwise(const Window& window, const ChipConfig& chip)
      : channels_(window.channels),
        g_(window),
        kb_("depthwise", chip),
        x_(kb_.input("x", DType::kFp32, {channels_, g_.height * g_.width})),
        weights_(kb_.weight("weights", DType::kFp32, {channels_, g_.taps()})),
        out_(kb_.output("out", DType::kFp32, {channels_, g_.out_height * g_.out_width})) {
    const std::uint32_t pixels = 4 * g_.band * g_.out_width, rows = g_.in_rows(g_.band);
    loads_ = kb_.sbuf_pool("x", 3, 4 * rows * g_.width);
    if (g_.padding > 0) bands_ = kb_.sbuf_pool("padded", 3, 4 * rows * g_.pitch);
    columns_ = kb_.sbuf_pool("weights", 3, 4 * g_.taps());
    products_ = kb_.sbuf_pool("products", 3, pixels);
    partial_ = kb_.sbuf_pool("partial sums", 3, pixels);
    results_ = kb_.sbuf_pool("results", 3, pixels);
  }

  // A band is loaded and spread while the one before is convolved; GpSimd's sum of a band is added
  // when Vector is done with the next one.
  Executable build() {
    std::optional<Band> before;
    for_blocks(channels_, kPartitions, [&](std::uint64_t channel, std::uint32_t channels) {
      const Tile weights = columns_.tile("weights", channels, g_.taps(), DType::kFp32);
      kb_.dma_load(weights, weights_.view(channel, channels, 0, g_.taps()));
      for_blocks(g_.out_height, g_.band, [&](std::uint64_t row, std::uint32_t rows) {
        const Band band{channel, static_cast<std::uint32_t>(row), rows, weights,
                        load(channel, channels, static_cast<std::uint32_t>(row), rows)};
        if (before) convolve(*before);
        before = band;
      });
    });
    convolve(*before);
    finish_pending();
    return kb_.finish();
  }

 private:
  struct Band {
    std::uint64_t channel = 0;
    std::uint32_t row = 0, rows = 0;  // of the output
    Tile weights, pixels;
  };
  struct Sums {
    Tile others;              // of the taps of Scalar and GpSimd
    std::optional<Tile> own;  // of Vector's, if it has some
  };
  struct Pending {
    TensorView out;
    Sums sums;
  };

  void finish_pending() {
    if (!pending_) return;
    const auto& [others, own] = pending_->sums;
    if (own) kb_.tensor_tensor(*own, *own, Alu::kAdd, others);
    kb_.dma_store(pending_->out, own ? *own : others);
    pending_.reset();
  }

  // The input rows of output rows [row, row + rows) in their border of zeros. They come in one run;
  // Scalar spreads them: single rows would be short transfers.
  Tile load(std::uint64_t channel, std::uint32_t channels, std::uint32_t row, std::uint32_t rows) {
    const std::uint32_t in_rows = g_.in_rows(rows), top = row * g_.stride;  // of the padded image
    const std::uint32_t begin = std::max(top, g_.padding),
                        end = std::min(top + in_rows, g_.padding + g_.height);
    const Tile x = loads_.tile("x", channels, (end - begin) * g_.width, DType::kFp32);
    kb_.dma_load(x,
                 x_.view(channel, channels, std::uint64_t{begin - g_.padding} * g_.width, x.free));
    if (g_.padding == 0) return x;
    const Tile band = bands_.tile("band", channels, in_rows * g_.pitch, DType::kFp32);
    const std::uint32_t inside = (begin - top) * g_.pitch + g_.padding;
    clear_frame(band, inside, end - begin);
    kb_.tensor_copy(band.view_2d(0, channels, inside, end - begin, g_.width, g_.pitch),
                    x.view_2d(0, channels, 0, end - begin, g_.width, g_.width), Engine::kScalar);
    return band;
  }

  // All of the image except `rows` rows, the first of which begins at element `inside`: the parts
  // before, between and after them.
  void clear_frame(const Tile& band, std::uint32_t inside, std::uint32_t rows) {
    const unsigned channels = band.partitions;
    const std::uint32_t behind = inside + (rows - 1) * g_.pitch + g_.width;
    kb_.memset(band.view(0, channels, 0, inside), 0.0f, Engine::kGpsimd);
    if (rows > 1) {
      kb_.memset(band.view_2d(0, channels, inside + g_.width, rows - 1, 2 * g_.padding, g_.pitch),
                 0.0f, Engine::kGpsimd);
    }
    kb_.memset(band.view(0, channels, behind, band.free - behind), 0.0f, Engine::kGpsimd);
  }

  TileView tap(const Tile& band, std::uint32_t number, std::uint32_t rows) const {
    const std::uint32_t first = number / g_.size * g_.pitch + number % g_.size;
    const auto stride = static_cast<std::int32_t>(g_.stride);
    return band.pattern(
        0, band.partitions, first,
        {{rows, stride * static_cast<std::int32_t>(g_.pitch)}, {g_.out_width, stride}});
  }

  void convolve(const Band& band) {
    const Sums sums = sums_of(band.pixels, band.weights, band.rows);
    finish_pending();
    pending_ = Pending{
        out_.view(band.channel, band.pixels.partitions, std::uint64_t{band.row} * g_.out_width,
                  std::uint64_t{band.rows} * g_.out_width),
        sums};
  }

  Sums sums_of(const Tile& band, const Tile& weights, std::uint32_t rows) {
    const unsigned channels = band.partitions;
    const std::uint32_t pixels = rows * g_.out_width, on_vector = g_.vector_taps();
    const auto multiply = [&](const Tile& dst, std::uint32_t number) {
      ActivationOptions options;
      options.scale = weights.column(number);
      kb_.activation(shaped(dst, rows), Activation::kIdentity, tap(band, number, rows), options);
    };
    const Tile partial = partial_.tile("partial", channels, pixels, DType::kFp32);
    multiply(partial, on_vector);
    for (std::uint32_t number = on_vector + 1; number < g_.taps(); ++number) {
      const Tile product = products_.tile("product", channels, pixels, DType::kFp32);
      multiply(product, number);
      kb_.tensor_tensor(partial, partial, Alu::kAdd, product, Engine::kGpsimd);
    }
    if (on_vector == 0) return {partial, {}};
    const Tile result = results_.tile("result", channels, pixels, DType::kFp32);
    kb_.tensor_scalar(shaped(result, rows), tap(band, 0, rows), Alu::kMultiply, weights.column(0));
    for (std::uint32_t number = 1; number < on_vector; ++number) {
      kb_.scalar_tensor_tensor(shaped(result, rows), tap(band, number, rows), Alu::kMultiply,
                               weights.column(number), Alu::kAdd, shaped(result, rows));
    }
    return {partial, result};
  }

  TileView shaped(const Tile& tile, std::uint32_t rows) const {
    return tile.view_2d(0, tile.partitions, 0, rows, g_.out_width, g_.out_width);
  }

  const std::uint64_t channels_;
  const Geometry g_;
  KernelBuilder kb_;
  const Tensor x_, weights_, out_;
  TilePool loads_, bands_, columns_, products_, partial_, results_;
  std::optional<Pending> pending_;
};

std::vector<CostLine> depthwise_cost(const Window& w, const ChipConfig& chip) {
  const Geometry g(w);
  const double pixels =
      static_cast<double>(blocks_of(w.channels, kPartitions)) * g.out_height * g.out_width;
  const double on_vector = g.vector_taps(), others = g.taps() - on_vector;
  std::vector<CostLine> result = {
      scalar_cost(chip, pixels * others, "channels / 128 x pixels x taps, half of them: products")};
  if (on_vector > 0) {
    result.push_back(vector_cost(chip, pixels * (1 + 2 * on_vector),
                                 "channels / 128 x pixels x (1 + 2 x half of the taps)"));
  }
  if (others > 1) {
    result.push_back(gpsimd_cost(chip, pixels * 2 * (others - 1),
                                 "channels / 128 x pixels x 2 x (half of the taps - 1): sums"));
  }
  const double values = static_cast<double>(w.channels) *
                        static_cast<double>(w.height * w.width + w.out_height() * w.out_width());
  result.push_back(dma_cost(chip, 4 * values, "bytes of x and out"));
  return result;
}

KernelCase make_depthwise(const Parameters& parameters, const ChipConfig& chip,
                          std::uint64_t seed) {
  Window w;
  w.channels = static_cast<std::size_t>(parameters.integer("channels", 1, 4096));
  w.height = static_cast<std::size_t>(parameters.integer("height", 1, 512));
  w.width = static_cast<std::size_t>(parameters.integer("width", 1, 512));
  w.size = static_cast<std::size_t>(parameters.integer("window", 1, 11));
  w.stride = static_cast<std::size_t>(parameters.integer("stride", 1, 8));
  w.padding = static_cast<std::size_t>(parameters.integer("padding", 0, 10));
  if (w.padding >= w.size) parameters.fail("padding", "less than the window");
  if (w.size > std::min(w.height, w.width) + 2 * w.padding)
    parameters.fail("window", "at most the padded image");
  if (w.channels * w.height * w.width > (1u << 26))
    parameters.fail("channels", "images of at most 2^26 pixels in all channels");

  const CaseOperand x = random_operand(w.channels * w.height * w.width, DType::kFp32, seed, 0),
                    weights = random_operand(w.channels * w.size * w.size, DType::kFp32, seed, 1);
  KernelCase result;
  result.description =
      fmt::format("depthwise convolution of [{}, {}, {}], window {}, stride {}, padding {}",
                  w.channels, w.height, w.width, w.size, w.stride, w.padding);
  result.program = Depthwise(w, chip).build();
  result.inputs = {x.input("x"), weights.input("weights")};
  // Two chains of products and sums: at most two roundings per tap, each of 2^-24 of a sum that
  // stays below some four times the deviation of its terms, which is the window's side.
  const auto side = static_cast<double>(w.size);
  result.outputs = {{"out",
                     DType::kFp32,
                     {w.channels, w.out_height(), w.out_width()},
                     reference::depthwise_convolution(x.values, weights.values, w),
                     2 * side * side * 0x1p-24 * 4 * side}};
  result.cost = depthwise_cost(w, chip);
  return result;
}

}  // namespace

Kernel depthwise_kernel() {
  return {"depthwise",
          "depthwise convolution of an image [channels, height, width]",
          {{"channels", "128", "channels, 128 at a time"},
           {"height", "56", "rows of the image"},
           {"width", "56", "columns of the image"},
           {"window", "3", "rows and columns of a filter"},
           {"stride", "1", "distance between windows"},
           {"padding", "1", "zeros around the image, less than the window"}},
          make_depthwise};
}

}  // namespace tern::kernels

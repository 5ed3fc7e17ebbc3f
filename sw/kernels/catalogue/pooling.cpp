// SPDX-License-Identifier: Apache-2.0
// Maximum or mean over square windows of images, channels on partitions.
#include <fmt/format.h>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/catalogue/blocks.h"
#include "sw/kernels/catalogue/case_parts.h"
#include "sw/kernels/catalogue/kernels.h"
#include "sw/reference/kernels/convolution.h"

namespace tern::kernels {

namespace {

using reference::Window;

// One operation per tap of the window, over all windows at once: tap (i, j) is a view of the image
// with the stride as its step.
Executable build_pooling(const Window& w, bool mean, const ChipConfig& chip) {
  KernelBuilder kb("pooling", chip);
  const Tensor x = kb.input("x", DType::kFp32, {w.channels, w.height * w.width});
  const std::uint64_t pixels = w.out_height() * w.out_width();
  const Tensor out = kb.output("out", DType::kFp32, {w.channels, pixels});
  const auto height = static_cast<std::uint32_t>(w.height),
             width = static_cast<std::uint32_t>(w.width);
  const auto rows = static_cast<std::uint32_t>(w.out_height()),
             columns = static_cast<std::uint32_t>(w.out_width());
  TilePool images = kb.sbuf_pool("images", 2, 4 * height * width);
  TilePool results = kb.sbuf_pool("results", 2, 4 * rows * columns);
  for_blocks(w.channels, kPartitions, [&](std::uint64_t first, std::uint32_t channels) {
    const Tile image = images.tile("image", channels, height * width, DType::kFp32);
    kb.dma_load(image, x.view(first, channels, 0, height * width));
    const Tile result = results.tile("result", channels, rows * columns, DType::kFp32);
    const TileView to = result.view_2d(0, channels, 0, rows, columns, columns);
    const auto tap = [&](std::uint32_t i, std::uint32_t j) {
      TileView view = image.view(0, channels, i * width + j, 1);
      view.num0 = columns;
      view.step0 = static_cast<std::int32_t>(w.stride);
      view.num1 = rows;
      view.step1 = static_cast<std::int32_t>(w.stride * width);
      return view;
    };
    for (std::uint32_t i = 0; i < w.size; ++i) {
      for (std::uint32_t j = 0; j < w.size; ++j) {
        if (i == 0 && j == 0) {
          kb.tensor_copy(to, tap(0, 0));
        } else {
          kb.tensor_tensor(to, to, mean ? Alu::kAdd : Alu::kMax, tap(i, j));
        }
      }
    }
    if (mean) {
      kb.tensor_scalar(to, to, Alu::kMultiply, 1.0f / static_cast<float>(w.size * w.size));
    }
    kb.dma_store(out.view(first, channels, 0, pixels), result);
  });
  return kb.finish();
}

KernelCase make_pooling(const Parameters& parameters, const ChipConfig& chip, std::uint64_t seed) {
  Window w;
  w.channels = static_cast<std::size_t>(parameters.integer("channels", 1, 4096));
  w.height = static_cast<std::size_t>(parameters.integer("height", 1, 160));
  w.width = static_cast<std::size_t>(parameters.integer("width", 1, 160));
  w.size = static_cast<std::size_t>(parameters.integer("window", 1, 16));
  w.stride = static_cast<std::size_t>(parameters.integer("stride", 1, 16));
  if (w.size > std::min(w.height, w.width)) parameters.fail("window", "at most the image");
  const bool mean = parameters.choice("op", {"max", "mean"}) == "mean";

  const CaseOperand x = random_operand(w.channels * w.height * w.width, DType::kFp32, seed, 0);
  KernelCase result;
  result.description =
      fmt::format("{} over {}x{} windows, stride {}, of [{}, {}, {}]", mean ? "mean" : "maximum",
                  w.size, w.size, w.stride, w.channels, w.height, w.width);
  result.program = build_pooling(w, mean, chip);
  result.inputs = {x.input("x")};
  const std::uint64_t pixels = w.out_height() * w.out_width();
  result.outputs = {{"out",
                     DType::kFp32,
                     {w.channels, w.out_height(), w.out_width()},
                     reference::pooling(x.values, mean, w),
                     mean ? 1e-6 : 0.0}};
  const double blocks = static_cast<double>(blocks_of(w.channels, kPartitions));
  const auto taps = static_cast<double>(w.size * w.size), points = static_cast<double>(pixels);
  const double operands = taps > 1 ? 2 * (taps - 1) : 0;
  result.cost = {
      vector_cost(chip, blocks * points * (1 + operands + (mean ? 1 : 0)),
                  "channels / 128 x windows x (1 + 2 (window^2 - 1)): FP32 pairs take two cycles"),
      dma_cost(chip, 4 * static_cast<double>(x.values.size() + w.channels * pixels),
               "bytes of x and out")};
  return result;
}

}  // namespace

Kernel pooling_kernel() {
  return {"pooling",
          "maximum or mean over square windows of images [channels, height, width]",
          {{"channels", "128", "channels, 128 at a time"},
           {"height", "56", "rows of an image"},
           {"width", "56", "columns of an image"},
           {"window", "2", "rows and columns of a window"},
           {"stride", "2", "distance between windows"},
           {"op", "max", "max or mean"}},
          make_pooling};
}

}  // namespace tern::kernels

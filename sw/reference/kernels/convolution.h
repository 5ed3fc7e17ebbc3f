// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/reference/kernels/shapes.h"

namespace tern::reference {

// Square windows over images [channels, height, width], surrounded by zeros.
struct Window {
  std::size_t channels = 0, height = 0, width = 0;
  std::size_t size = 1, stride = 1, padding = 0;
  std::size_t out_height() const { return (height + 2 * padding - size) / stride + 1; }
  std::size_t out_width() const { return (width + 2 * padding - size) / stride + 1; }
};

// weights [size, size, channels, filters] -> [filters, out_height, out_width]
Values convolution(const Inputs& images, const Inputs& weights, std::size_t filters,
                   const Window& window);
// weights [channels, size, size] -> [channels, out_height, out_width]
Values depthwise_convolution(const Inputs& images, const Inputs& weights, const Window& window);
// Maximum or mean of each window, without padding.
Values pooling(const Inputs& images, bool mean, const Window& window);

}  // namespace tern::reference

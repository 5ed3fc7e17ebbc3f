// SPDX-License-Identifier: Apache-2.0
#include "sw/reference/kernels/convolution.h"

#include <algorithm>
#include <limits>

#include "sw/base/stop.h"

namespace tern::reference {

namespace {

// The pixel under tap (i, j) of output (y, x); 0 outside the image.
double pixel(const Inputs& images, const Window& w, std::size_t channel, std::size_t y,
             std::size_t x, std::size_t i, std::size_t j) {
  const std::size_t row = y * w.stride + i, column = x * w.stride + j;
  if (row < w.padding || column < w.padding) return 0;
  if (row - w.padding >= w.height || column - w.padding >= w.width) return 0;
  return images[(channel * w.height + row - w.padding) * w.width + column - w.padding];
}

}  // namespace

Values convolution(const Inputs& images, const Inputs& weights, std::size_t filters,
                   const Window& w) {
  Values out(filters * w.out_height() * w.out_width());
  for (std::size_t f = 0; f < filters; ++f) {
    for (std::size_t y = 0; y < w.out_height(); ++y) {
      base::end_if_requested();
      for (std::size_t x = 0; x < w.out_width(); ++x) {
        double sum = 0;
        for (std::size_t i = 0; i < w.size; ++i) {
          for (std::size_t j = 0; j < w.size; ++j) {
            for (std::size_t c = 0; c < w.channels; ++c) {
              sum +=
                  pixel(images, w, c, y, x, i, j) *
                  static_cast<double>(weights[((i * w.size + j) * w.channels + c) * filters + f]);
            }
          }
        }
        out[(f * w.out_height() + y) * w.out_width() + x] = sum;
      }
    }
  }
  return out;
}

Values depthwise_convolution(const Inputs& images, const Inputs& weights, const Window& w) {
  Values out(w.channels * w.out_height() * w.out_width());
  for (std::size_t c = 0; c < w.channels; ++c) {
    for (std::size_t y = 0; y < w.out_height(); ++y) {
      base::end_if_requested();
      for (std::size_t x = 0; x < w.out_width(); ++x) {
        double sum = 0;
        for (std::size_t i = 0; i < w.size; ++i) {
          for (std::size_t j = 0; j < w.size; ++j) {
            sum += pixel(images, w, c, y, x, i, j) *
                   static_cast<double>(weights[(c * w.size + i) * w.size + j]);
          }
        }
        out[(c * w.out_height() + y) * w.out_width() + x] = sum;
      }
    }
  }
  return out;
}

Values pooling(const Inputs& images, bool mean, const Window& w) {
  Values out(w.channels * w.out_height() * w.out_width());
  for (std::size_t c = 0; c < w.channels; ++c) {
    for (std::size_t y = 0; y < w.out_height(); ++y) {
      base::end_if_requested();
      for (std::size_t x = 0; x < w.out_width(); ++x) {
        double sum = 0, largest = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < w.size; ++i) {
          for (std::size_t j = 0; j < w.size; ++j) {
            const double value = pixel(images, w, c, y, x, i, j);
            sum += value;
            largest = std::max(largest, value);
          }
        }
        out[(c * w.out_height() + y) * w.out_width() + x] =
            mean ? sum / static_cast<double>(w.size * w.size) : largest;
      }
    }
  }
  return out;
}

}  // namespace tern::reference

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "sw/data/dtype.h"

namespace tern::data {

// The IDX format of the MNIST files: unsigned bytes, big-endian extents. Plain or gzip, recognised
// by content. Every fault of a file is a UserError "FILE: ...".
struct IdxArray {
  Shape shape;
  std::vector<std::uint8_t> bytes;
};

IdxArray read_idx(const std::filesystem::path& path);

// Images with their labels, in file order.
struct ImageSet {
  std::size_t count = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::uint8_t> pixels;  // count x rows x columns
  std::vector<std::uint8_t> labels;  // one per image, each below the number of classes

  std::size_t pixels_per_image() const { return rows * columns; }
  const std::uint8_t* image(std::size_t i) const { return pixels.data() + i * pixels_per_image(); }
};

ImageSet read_image_set(const std::filesystem::path& images, const std::filesystem::path& labels,
                        unsigned classes = 10);

}  // namespace tern::data

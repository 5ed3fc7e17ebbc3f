// SPDX-License-Identifier: Apache-2.0
#include "sw/train/batches.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <utility>

#include "sw/numerics/convert.h"

namespace tern::train {

namespace {

constexpr unsigned kPixelValues = 256;

}  // namespace

Images::Images(const data::ImageSet& set, float scale, numerics::DType dtype)
    : set_(set), size_(numerics::dtype_size(dtype)), codes_(kPixelValues * size_) {
  for (unsigned pixel = 0; pixel < kPixelValues; ++pixel) {
    const float value = static_cast<float>(pixel) * scale;
    numerics::narrow(dtype, &value, &codes_[pixel * size_], 1);
  }
}

Batch Images::batch(const std::vector<std::uint32_t>& images) const {
  const std::size_t pixels = set_.pixels_per_image();
  Batch batch;
  batch.x.resize(images.size() * pixels * size_);
  std::uint8_t* to = batch.x.data();
  for (const std::uint32_t image : images) {
    const std::uint8_t* from = set_.image(image);
    for (std::size_t p = 0; p < pixels; ++p, to += size_)
      std::memcpy(to, &codes_[from[p] * size_], size_);
    batch.labels.push_back(set_.labels[image]);
  }
  return batch;
}

std::vector<std::uint32_t> SampleOrder::of_step(std::uint64_t step) {
  std::vector<std::uint32_t> images;
  for (std::uint64_t at = step * batch_; at < (step + 1) * batch_; ++at)
    images.push_back(permutation(at / count_)[at % count_]);
  return images;
}

const std::vector<std::uint32_t>& SampleOrder::permutation(std::uint64_t epoch) {
  if (!order_.empty() && epoch == epoch_) return order_;
  epoch_ = epoch;
  order_.resize(count_);
  std::iota(order_.begin(), order_.end(), 0u);
  std::seed_seq words{static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32),
                      static_cast<std::uint32_t>(epoch), static_cast<std::uint32_t>(epoch >> 32)};
  std::mt19937_64 engine(words);
  for (std::size_t i = order_.size(); i > 1; --i)
    std::swap(order_[i - 1], order_[static_cast<std::size_t>(engine() % i)]);
  return order_;
}

}  // namespace tern::train

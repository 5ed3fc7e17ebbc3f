// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/data/idx.h"
#include "sw/numerics/dtype.h"

namespace tern::train {

// The input of a step.
struct Batch {
  std::vector<std::uint8_t> x;       // [batch, features] in the operand format
  std::vector<std::int32_t> labels;  // [batch]
};

// Images as network inputs: pixel * scale, rounded to the format.
class Images {
 public:
  Images(const data::ImageSet& set, float scale, numerics::DType dtype);
  std::uint64_t count() const { return set_.count; }
  // Those in the list, in its order.
  Batch batch(const std::vector<std::uint32_t>& images) const;

 private:
  const data::ImageSet& set_;
  std::size_t size_;                 // bytes of an element
  std::vector<std::uint8_t> codes_;  // of the 256 pixel values
};

// The order of training: a sequence of permutations of all images, a new one every epoch.
// Batches follow it without gaps: one may end an epoch and begin the next. A step's batch depends
// only on the seed and its number.
class SampleOrder {
 public:
  SampleOrder(std::uint64_t count, std::uint32_t batch, std::uint64_t seed)
      : count_(count), batch_(batch), seed_(seed) {}
  // Steps from 0.
  std::vector<std::uint32_t> of_step(std::uint64_t step);
  // Number of steps that complete this many epochs.
  std::uint64_t steps_of(std::uint64_t epochs) const {
    return (epochs * count_ + batch_ - 1) / batch_;
  }

 private:
  const std::vector<std::uint32_t>& permutation(std::uint64_t epoch);

  std::uint64_t count_;
  std::uint32_t batch_;
  std::uint64_t seed_;
  std::uint64_t epoch_ = 0;
  std::vector<std::uint32_t> order_;  // of that epoch
};

}  // namespace tern::train

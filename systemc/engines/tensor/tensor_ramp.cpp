// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/tensor_ramp.h"

#include "sw/spec/generated/tensor_codes.h"

namespace tern {

TensorRamp::TensorRamp(const TensorShape& shape)
    : window_(shape.ramp_cycles), array_(std::uint64_t{shape.rows} * shape.cols) {}

std::uint64_t TensorRamp::multiply(std::uint64_t issue, std::uint64_t columns, unsigned rows,
                                   unsigned cols) {
  if (window_ == 0) return columns;
  while (running_ && issue >= begin_ + window_) {
    running_ = well_used();
    begin_ += window_;
    ramp_ = false;
    use_ = 0;
  }
  if (!running_) {
    running_ = ramp_ = true;
    begin_ = issue;
    use_ = 0;
  }
  use_ += columns * rows * cols;
  if (!ramp_) return columns;
  // More sixteenths of its columns in each quarter of the window: 1/2 to 1 of the rate, in steps.
  constexpr unsigned kMore[] = TERN_TENSOR_RAMP;
  const std::uint64_t now = issue - begin_, quarter = window_ / 4;
  const unsigned step = now < quarter ? 0 : now < window_ / 2 ? 1 : now < window_ - quarter ? 2 : 3;
  return columns + columns * kMore[step] / 16;
}

std::uint64_t TensorRamp::at_rest() const {
  if (!running_) return 0;
  return begin_ + window_ * (well_used() ? 2 : 1);
}

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern::tb {

// "Ramp" of rtl/tensor/README.md, from the list of multiplies. Shares no code with the model.
class RampOracle {
 public:
  explicit RampOracle(const TensorShape& shape)
      : window_(shape.ramp_cycles), array_(std::uint64_t{shape.rows} * shape.cols) {}

  // The next multiply issues: the cycles for which its columns keep their cells.
  std::uint64_t interval(std::uint64_t issue, std::uint64_t columns, unsigned rows, unsigned cols) {
    if (window_ == 0) return columns;
    if (all_.empty()) begin_ = issue;
    all_.push_back({issue, columns * rows * cols});
    while (issue - begin_ >= window_) next_window();
    if (!ramp_) return columns;
    const double part = static_cast<double>(issue - begin_) / static_cast<double>(window_);
    // The windows of the tests are multiples of 4, so that quarters are exact.
    const unsigned sixteenths = part < 0.25 ? 12 : part < 0.5 ? 7 : part < 0.75 ? 4 : 1;
    return columns + columns * sixteenths / 16;
  }

 private:
  struct Multiply {
    std::uint64_t issue, work;
  };

  void next_window() {
    std::uint64_t work = 0;
    while (!all_.empty() && all_.front().issue < begin_ + window_) {
      work += all_.front().work;
      all_.pop_front();
    }
    const double use = static_cast<double>(work) / static_cast<double>(window_ * array_);
    ramp_ = use < 0.5;
    begin_ = ramp_ ? all_.front().issue : begin_ + window_;
  }

  const std::uint64_t window_, array_;
  std::uint64_t begin_ = 0;
  bool ramp_ = true;
  std::deque<Multiply> all_;  // from the window on
};

}  // namespace tern::tb

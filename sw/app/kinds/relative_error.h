// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tern::app {

// Errors of results against the same in FP64, relative to the rms of those. What is NaN or infinite
// in FP64 has no error: the result must be the same, or the errors are infinite.
class RelativeError {
 public:
  void add(double result, double exact) {
    if (!std::isfinite(exact)) {
      ++not_finite_;
      const bool same = std::isnan(exact) ? std::isnan(result) : result == exact;
      if (!same) error_ = largest_ = INFINITY;
      return;
    }
    const double difference = std::fabs(result - exact);
    error_ += difference * difference;
    norm_ += exact * exact;
    // Not std::max: a NaN stays.
    largest_ = difference <= largest_ ? largest_ : difference;
    ++count_;
  }

  double rms() const { return error_ == 0 ? 0 : std::sqrt(error_ / norm_); }
  double largest() const {
    return error_ == 0
               ? 0
               : largest_ /
                     std::sqrt(norm_ / static_cast<double>(std::max<std::uint64_t>(count_, 1)));
  }
  std::uint64_t not_finite() const { return not_finite_; }

 private:
  double error_ = 0, norm_ = 0, largest_ = 0;
  std::uint64_t count_ = 0, not_finite_ = 0;
};

}  // namespace tern::app

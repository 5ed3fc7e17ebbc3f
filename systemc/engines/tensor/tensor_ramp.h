// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern {

// How an array at rest comes to its full rate: "Ramp" in rtl/tensor/README.md.
class TensorRamp {
 public:
  explicit TensorRamp(const TensorShape& shape);

  // A multiply of `rows` x `cols` issues in cycle `issue`, in program order. Returns the cycles for
  // which its columns keep their cells.
  std::uint64_t multiply(std::uint64_t issue, std::uint64_t columns, unsigned rows, unsigned cols);
  // From this cycle on a multiply is the first of a ramp; 0 if that depends on nothing.
  std::uint64_t at_rest() const;

 private:
  bool well_used() const { return 2 * use_ >= window_ * array_; }

  const std::uint64_t window_, array_;
  bool running_ = false, ramp_ = false;
  std::uint64_t begin_ = 0;  // of the running window
  std::uint64_t use_ = 0;    // multiply-adds of what issued in it
};

}  // namespace tern

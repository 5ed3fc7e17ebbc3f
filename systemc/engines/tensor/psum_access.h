// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern {

// When the columns of a PSUM transfer are taken: one a cycle, except in cycles in which the array
// reads the same bank. The array's reads are known from the issue cycle of its commands, always
// before they happen.
class PsumAccess {
 public:
  explicit PsumAccess(const TensorShape& shape) : shape_(shape) {}

  // A MultiplyMoving or Transpose issues; called in cycle `now`, before its first read.
  void array_issues(std::uint64_t now, std::uint64_t issue, const TensorCommand& command);
  // A transfer offers its first column in cycle `now`.
  void start(std::uint64_t now, const PsumTransfer& transfer);

  bool busy(std::uint64_t now) const { return now < end(); }
  // The first cycle after the last column.
  std::uint64_t end() const { return taken_.empty() ? 0 : taken_.back() + 1; }
  // Cycles in which transfers had to wait, all that will have come up to the end of the current
  // one.
  std::uint64_t conflicts() const { return past_conflicts_ + conflicts_; }

 private:
  struct Reads {  // of one command: a column a cycle
    std::uint64_t begin, columns;
    std::uint64_t first;  // element
    unsigned elements;    // of a bank
    bool quad, stochastic;
  };
  bool refused(std::uint64_t cycle, unsigned bank) const;
  // The columns from `column` on, of which none was taken before `earliest`.
  void plan(std::size_t column, std::uint64_t earliest);

  TensorShape shape_;
  std::deque<Reads> reads_;
  std::uint64_t start_ = 0;
  unsigned first_column_ = 0;
  std::vector<std::uint64_t> taken_;  // cycle of each column of the transfer
  std::uint64_t conflicts_ = 0, past_conflicts_ = 0;
};

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "systemc/engines/tensor_datapath.h"
#include "tb/tensor/test_sbuf.h"

namespace tern::tb {

std::uint32_t bits_of(float x);
float float_of(std::uint32_t bits);
float decode(TensorType type, std::uint16_t element);

// What a column written to PSUM must look like.
struct ExpectedWrite {
  std::uint32_t tag = 0;
  std::uint64_t cycle = 0;
  unsigned column = 0, index = 0;
  std::vector<std::uint32_t> data;
};

struct ExpectedStatus {
  std::uint32_t tag = 0;
  TensorStatusCode code = TensorStatusCode::kOk;
  std::uint64_t issue = 0, retire = 0;
};

// The engine as its README defines it, command by command: plain loops over host fmaf (itself
// checked against MPFR in arithmetic_test.cpp) and the recurrences of the timing section. Shares no
// code with the design or the model.
class Reference {
 public:
  Reference(const TensorShape& shape, const TestSbuf& sbuf);

  // A command accepted in `cycle`.
  ExpectedStatus accept(const TensorCommand& command, std::uint64_t cycle);
  bool ready(std::uint64_t cycle) const;

  std::vector<ExpectedWrite>& writes() { return writes_; }
  std::uint32_t psum(unsigned lane, unsigned column) const { return psum_[index(lane, column)]; }
  void set_psum(unsigned lane, unsigned column, std::uint32_t bits) {
    psum_[index(lane, column)] = bits;
  }

 private:
  struct Stationary {
    unsigned row_start, rows, cols;
    std::vector<float> weights;  // [row][col]
  };
  std::size_t index(unsigned lane, unsigned column) const {
    return std::size_t{lane} * shape_.psum_banks * shape_.bank_columns + column;
  }
  TensorStatusCode check(const TensorCommand& command) const;
  void load(const TensorCommand& command);
  void multiply(const TensorCommand& command, std::uint64_t issue);

  TensorShape shape_;
  const TestSbuf& sbuf_;
  std::vector<std::uint32_t> psum_;
  std::vector<ExpectedWrite> writes_;
  std::optional<Stationary> stationary_;

  std::uint64_t last_issue_ = 0, last_retire_ = 0;
  std::uint64_t load_issue_ = 0, load_cycles_ = 0;  // of the last LoadStationary
  bool load_pending_ = false;
  std::uint64_t move_issue_ = 0,
                move_cycles_ = 0;  // of the last MultiplyMoving; its issue interval
  std::deque<std::uint64_t> retires_;
};

}  // namespace tern::tb

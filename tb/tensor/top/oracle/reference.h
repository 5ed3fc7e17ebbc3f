// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tb/tensor/top/bench/test_sbuf.h"
#include "tb/tensor/top/oracle/reference_product.h"
#include "tb/tensor/top/oracle/reference_psum.h"
#include "tb/tensor/top/oracle/reference_timing.h"

namespace tern::tb {

// The expected contents of a column written to PSUM.
struct ExpectedWrite {
  std::uint64_t cycle = 0;
  unsigned column = 0, index = 0, slot = 0, partition = 0;
  bool half = false;
  std::vector<std::uint32_t> data;
};

struct ExpectedStatus {
  std::uint32_t tag = 0;
  TensorStatusCode code = TensorStatusCode::kOk;
  std::uint64_t issue = 0, first_write = 0, retire = 0;
};

struct ExpectedCounters {
  std::uint64_t loads = 0, moves = 0, columns = 0, macs = 0, errors = 0;
};

// The engine as docs/numerics.md and rtl/tensor/README.md define it, command by command: plain
// loops over host fmaf (itself checked against MPFR in test_arithmetic.cpp), exact integers, and
// the recurrences of the timing section. Shares no code with the design or the model.
class Reference {
 public:
  Reference(const TensorShape& shape, const TestSbuf& sbuf);

  // A command accepted in `cycle`; its writes, those of one slot in order, are in writes() until
  // the next call.
  ExpectedStatus accept(const TensorCommand& command, std::uint64_t cycle);
  const std::vector<ExpectedWrite>& writes() const { return writes_; }

  const ReferenceTiming& timing() const { return timing_; }
  const ExpectedCounters& counters() const { return counters_; }
  // Columns after the last bank: state of the random generators.
  std::uint32_t psum(unsigned lane, unsigned column) const { return psum_.word(lane, column); }
  void set_psum(unsigned lane, unsigned column, std::uint32_t bits) {
    psum_.set_word(lane, column, bits);
  }

 private:
  // A part of array A and the load that filled it, shared by all parts it filled.
  struct Cell {
    std::shared_ptr<const Stationary> stationary;
    bool pending = false;  // loaded, not yet taken by a multiply
  };
  TensorStatusCode check(const TensorCommand& command) const;
  // What a multiply would use; null if its tile does not hold the weights of one load.
  const Stationary* find(const TensorCommand& move) const;
  void load(const TensorCommand& command);
  void multiply(const TensorCommand& command, std::uint64_t first_write);
  void transpose(const TensorCommand& command, std::uint64_t first_write);
  void count(const TensorCommand& command);

  TensorShape shape_;
  const TestSbuf& sbuf_;
  ReferenceTiming timing_;
  ReferencePsum psum_;
  ExpectedCounters counters_;
  std::vector<ExpectedWrite> writes_;
  std::array<std::array<Cell, 4>, 4> cells_;
  std::array<std::shared_ptr<const Stationary>, 4> x_;  // [row group]
};

}  // namespace tern::tb

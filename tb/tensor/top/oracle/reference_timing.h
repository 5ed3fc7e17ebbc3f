// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "systemc/engines/tensor/tensor_datapath.h"
#include "tb/tensor/ramp_oracle.h"

namespace tern::tb {

// When a command issues, when its first column is in PSUM (multiply, transpose) and when its status
// leaves.
struct Schedule {
  std::uint64_t issue = 0, first_write = 0, retire = 0;
};

// The timing section of rtl/tensor/README.md as recurrences.
class ReferenceTiming {
 public:
  explicit ReferenceTiming(const TensorShape& shape);

  // The next command in program order, taken in `cycle`.
  Schedule accept(const TensorCommand& command, bool rejected, std::uint64_t cycle);
  // Fewer commands are in flight than the engine holds.
  bool ready(std::uint64_t cycle) const;
  // The cycle after the one in which the last of `columns` columns of an access is taken, the first
  // being offered in `cycle`.
  std::uint64_t access_end(std::uint64_t cycle, unsigned column, unsigned columns) const;

 private:
  struct Cell {
    std::uint64_t busy = 0;   // until then another multiply must not issue
    std::uint64_t ready = 0;  // weights of the last load may be used from then on
  };
  struct Window {  // of a command's writes
    std::uint64_t first_write, columns;
    unsigned bank, column, bank_elements, slots;
    bool stochastic;
  };
  std::uint64_t issue_load(const TensorCommand& command, std::uint64_t earliest);
  std::uint64_t issue_move(const TensorCommand& command, std::uint64_t earliest);
  std::uint64_t issue_transpose(const TensorCommand& command, std::uint64_t earliest);
  // The first cycle from `earliest` on in which a command whose first write is `latency` cycles
  // later may issue; books its window.
  std::uint64_t book(const TensorCommand& command, std::uint64_t earliest, std::uint64_t latency);
  std::vector<unsigned> banks_of(const TensorCommand& command) const;
  bool array_uses(unsigned bank, std::uint64_t cycle) const;

  TensorShape shape_;
  RampOracle ramp_;
  std::uint64_t rows_, blocks_;  // cycles from the first to below the last
  std::uint64_t last_issue_ = 0, last_retire_ = 0;
  std::uint64_t load_free_ = 0, shadow_free_ = 0;
  std::uint64_t x_load_from_ = 0, x_move_from_ = 0;  // array A's waves have left the shared ports
  std::array<std::uint64_t, 4> x_ready_{};           // [row group]
  std::uint64_t quad_gone_ = 0;                      // the columns of quad mode leave no more
  std::uint64_t random_free_ = 0;
  std::array<std::array<Cell, 4>, 4> cells_;              // [row group][column group]
  std::vector<std::array<std::uint64_t, 4>> window_end_;  // [bank][column group]
  std::deque<Window> windows_;
  std::deque<std::uint64_t> retires_;
};

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "systemc/cosim/generated/tensor_ports.h"

namespace tern::tb {

// Operand forms of array A (rtl/tensor/tensor_pkg.sv).
using Form = tensor_ports::Form;

inline unsigned form_bytes(Form form) {
  if (form == Form::kRaw8) return 1;
  return form == Form::kBf16 || form == Form::kFp16 || form == Form::kRaw16 ? 2 : 4;
}

// M of every N consecutive k; C = N / M planes.
struct Pattern {
  unsigned m, n;
  unsigned planes() const { return n / m; }
};
inline constexpr Pattern kPatterns[] = {{4, 16}, {4, 12}, {4, 8}, {2, 8}, {2, 4}, {1, 4}, {1, 2}};

// A rectangle of the array and the cells that it claims: row groups g0..g1, column groups j0..j1.
struct Tile {
  unsigned row_start, rows, col_start, cols;
  unsigned g0, g1, j0, j1;
  unsigned mask() const { return ((2u << j1) - 1) & ~((1u << j0) - 1); }
};

// One load, multiply or transpose, already scheduled: groups (columns) enter row 0 from issue + 1
// on.
struct ArrayCommand {
  enum class Kind { kLoad, kMove, kDrain } kind = Kind::kLoad;
  std::uint64_t issue = 0;
  unsigned slot = 0;
  Form form = Form::kBf16;
  Tile tile{};
  unsigned address = 0;  // bytes
  // A load of one column a cycle: column m is (m % num0) * step0 + m / num0 * step1 elements on.
  bool single = false;
  unsigned num0 = 1;
  int step0 = 0, step1 = 0;
  std::int64_t column_address(unsigned m) const {
    const std::int64_t offset = single ? static_cast<std::int64_t>(m % num0) * step0 +
                                             static_cast<std::int64_t>(m / num0) * step1
                                       : m;
    return address + form_bytes(form) * offset;
  }
  unsigned load_cycles() const { return single ? tile.cols : (tile.cols + 3) / 4; }
  bool sparse = false;
  unsigned sparsity = 0;
  unsigned tag_address = 0;  // load
  int plane = 0;             // move: bytes
  unsigned columns = 0;      // move, drain
  bool swap = false;         // move: takes new weights
};

// What leaves the array: one column of a command.
struct ArrayResult {
  std::uint64_t cycle = 0;  // in which the sums are there
  unsigned slot = 0;
  unsigned port = 0;  // 4: the raw bus
  std::vector<std::uint32_t> lanes;
  std::uint32_t groups = 0;       // column groups that are valid
  unsigned first = 0, count = 0;  // reference: the lanes that mean something
  // Reference: the multiply (or drain) and its column, and the load of its weights.
  const ArrayCommand *command = nullptr, *load = nullptr;
  unsigned column = 0;
};

struct LoadDone {
  std::uint64_t cycle = 0;
  unsigned slot = 0;
  bool bad = false;
};

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/nki/passes/region.h"
#include "sw/nki/trace/instruction.h"

namespace tern::nki {

// The bytes that an operand touches, exact, and which memory they are of: a tensor, or for tensors
// that the author has placed all of SBUF or PSUM.
class TouchedBytes {
 public:
  TouchedBytes(const Instruction& instruction, const Operand& operand);

  std::uint64_t memory() const { return memory_; }
  // Of the same memory.
  bool meets(const TouchedBytes& other) const;
  bool covers(const TouchedBytes& other) const;

 private:
  void take_whole(const Storage& storage);
  void place(const Storage& storage);
  void enclose(const Storage& storage);

  std::uint64_t memory_ = 0;
  Footprint bytes_;  // runs in order, disjoint
  // What encloses them in HBM: rows of the tensor, bytes of each; for a quick answer.
  std::int64_t row_ = 0, row_end_ = 1, column_ = 0, column_end_ = 0;
};

}  // namespace tern::nki

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern {

// How a tile of array X falls into blocks. A step is one rounding: block after block, in quad mode
// for each slot. The products of a block are its items, `slots` for each of its rows.
class BlockLayout {
 public:
  explicit BlockLayout(const TensorCommand& command);

  unsigned passes;  // results per column
  unsigned blocks;  // of a pass
  unsigned rows;    // of a block
  unsigned slots;

  unsigned steps() const { return passes * blocks; }
  unsigned items() const { return rows * slots; }
  unsigned pass(unsigned step) const { return step / blocks; }
  // First partition of a step's block.
  unsigned partition(unsigned step) const { return row_start_ + rows * (step % blocks); }

  // The position of a slot's elements: in which plane, in which byte of an element of the operand,
  // in FP4 in which half of it.
  struct Slot {
    unsigned plane, byte, shift;
  };
  Slot slot(unsigned step, unsigned index) const {
    if (planes_) return {index, 0, 0};
    const unsigned number = passes > 1 ? pass(step) : index;
    return fp4_ ? Slot{0, number / 2, 4 * (number % 2)} : Slot{0, number, 0};
  }

 private:
  unsigned row_start_;
  bool planes_, fp4_;
};

// The partition that holds the scale bytes of a step.
unsigned scale_partition(const TensorCommand& command, const BlockLayout& layout, unsigned step);

// Values of a format's codes, in double.
using BlockTable = std::array<double, 256>;
struct BlockFormat {
  BlockTable values;                  // with NaN and infinities
  BlockTable finite;                  // with zeros in place of special values
  std::array<BlockTable, 3> classes;  // the finite ones below 1, below 2^14 and above; 0 elsewhere
  unsigned mask;                      // of a code
  bool wide;                          // E5M2
};
const BlockFormat& block_format(TensorType type);

// Whether sums of these products can need more bits than a double has.
bool is_wide(TensorType a, TensorType b);

double scale_value(std::uint8_t code);

}  // namespace tern

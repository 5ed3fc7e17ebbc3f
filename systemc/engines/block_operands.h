// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "systemc/engines/tensor_datapath.h"

namespace tern {

// How a tile of array X falls into blocks. A step is one rounding: block after block, in quad mode
// for each slot in turn.
struct BlockLayout {
  explicit BlockLayout(const TensorCommand& command);

  unsigned passes;  // results per column
  unsigned blocks;  // of a pass
  unsigned items;   // products of a block

  unsigned steps() const { return passes * blocks; }
};

// Where the elements of an item lie: byte `byte` of those in a partition and plane, or four bits
// of it.
struct BlockItem {
  unsigned partition, plane, byte, shift;
};
BlockItem block_item(const TensorCommand& command, const BlockLayout& layout, unsigned step,
                     unsigned item);
// The partition that holds the scale bytes of a step.
unsigned scale_partition(const TensorCommand& command, const BlockLayout& layout, unsigned step);

// Values of a format's codes, in double.
using BlockTable = std::array<double, 256>;
struct BlockFormat {
  BlockTable values;                  // with NaN and infinities
  BlockTable finite;                  // with zeros in their place
  std::array<BlockTable, 3> classes;  // the finite ones below 1, below 2^14 and above; 0 elsewhere
  unsigned mask;                      // of a code
  bool wide;                          // E5M2
};
const BlockFormat& block_format(TensorType type);

// Whether sums of these products can need more bits than a double has.
bool is_wide(TensorType a, TensorType b);

double scale_value(std::uint8_t code);

}  // namespace tern

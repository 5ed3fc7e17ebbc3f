// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/nki/trace/view.h"

namespace tern::nki {

// A view on chip as an instruction has it: the same pattern on consecutive partitions.
struct ChipPattern {
  struct Dim {
    std::int64_t count = 1, step = 0;  // elements
  };
  std::int64_t partition = 0, partitions = 1;  // from the storage's first one
  std::int64_t repeats = 1;                    // of one partition: DMA engines alone read so
  std::int64_t start = 0;                      // elements from the start of a partition
  std::vector<Dim> dims;                       // free ones, the outermost first, as in the view

  std::int64_t elements() const;  // of each partition
  // Lowest and highest element of a partition.
  std::int64_t low() const;
  std::int64_t high() const;
};

// Throws NkiError if partitions are not consecutive, or the pattern leaves them; `what` names the
// operand.
ChipPattern chip_pattern(const View& view, const std::string& what);

// Dimensions of one element left out, neighbours that follow one another merged.
std::vector<ChipPattern::Dim> merged(const std::vector<ChipPattern::Dim>& dims);

}  // namespace tern::nki

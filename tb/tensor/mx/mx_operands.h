// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "systemc/cosim/generated/tensor_ports.h"

namespace tern::tb {

enum class MxMode { kDoubleRow, kMx, kQuad };
using MxForm = tensor_ports::MxForm;

// A stationary tile or a stream of moving columns: `columns` columns of rows row_start ..
// row_start + rows - 1, four slots each (double row: two, the planes). Claims the part of the array
// that `tile` says: 0 the whole, 1 a half, 2 a quarter of the rows.
struct MxOperand {
  MxMode mode = MxMode::kMx;
  MxForm form = MxForm::kE4m3Fn;
  unsigned row_start = 0;
  unsigned rows = 32;
  unsigned columns = 1;
  unsigned tile = 0;
  std::vector<std::uint8_t> elements;  // codes
  std::vector<std::uint8_t> scales;

  MxOperand() = default;
  // All elements zero, all scales one.
  MxOperand(MxMode mode_, MxForm form_, unsigned row_start_, unsigned rows_, unsigned columns_,
            unsigned tile_ = 0)
      : mode(mode_),
        form(form_),
        row_start(row_start_),
        rows(rows_),
        columns(columns_),
        tile(tile_),
        elements(std::size_t{4} * rows_ * columns_),
        scales(std::size_t{rows_} / 8 * columns_, 127) {}

  // Rows and blocks count from row_start. Quad mode: block 4g + s holds slot s of quadrant g.
  std::uint8_t& element(unsigned slot, unsigned row, unsigned column) {
    return elements[(std::size_t{slot} * rows + row) * columns + column];
  }
  std::uint8_t element(unsigned slot, unsigned row, unsigned column) const {
    return elements[(std::size_t{slot} * rows + row) * columns + column];
  }
  std::uint8_t& scale(unsigned block, unsigned column) {
    return scales[std::size_t{block} * columns + column];
  }
  std::uint8_t scale(unsigned block, unsigned column) const {
    return scales[std::size_t{block} * columns + column];
  }
};

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/core/field_checker.h"

namespace tern {

// The instructions of the tensor queue. What depends on more than the instruction's own fields and
// the chip's features is left to the engine: shapes of tiles, alignment, scales, tags, a missing
// stationary.
class TensorChecker : public FieldChecker {
 public:
  using FieldChecker::FieldChecker;

  // Outer dimensions are the real chip's, not this array's; it has no other use for an extension.
  void extension() const;
  void load_stationary() const;
  void multiply_moving() const;
  void transpose() const;

 private:
  // The fields that load_stationary and multiply_moving share, at their own offsets.
  struct ModeFields {
    std::uint8_t dtype, mode, half, sparsity, tile_rows, tile_cols, col_start, scale_offset;
    std::size_t dtype_at, mode_at, half_at, sparsity_at, tile_rows_at, tile_cols_at, col_start_at,
        scale_offset_at;
  };

  void shape(unsigned rows, std::size_t rows_at, unsigned cols, std::size_t cols_at) const;
  void mode(const ModeFields& fields) const;
  void operand_dtype(const ModeFields& fields) const;
  void feature(bool present, std::size_t byte) const {
    require(present, TERN_ERROR_NOT_MODELLED, byte);
  }
  void stationary(const tern_ap_t& src, std::size_t byte, unsigned dtype, unsigned rows,
                  unsigned cols) const;
  void destination() const;
};

}  // namespace tern

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/base/source_line.h"
#include "sw/config/chip_config.h"
#include "sw/kernels/builder/tensor/products.h"

namespace tern::kernels {

// "[128, 2, 64]": partitions and free dimensions.
std::string shape_text(const TileView& view);

// The documented limits of tensor-engine operands beyond those of every view. Each throws a
// UserError that begins with the caller's line and the instruction's name.
class OperandChecks {
 public:
  OperandChecks(const ChipConfig& chip, SourceLine where, std::string name)
      : chip_(chip), where_(where), name_(std::move(name)) {}

  void stationary(const TensorOperand& operand) const;
  void moving(const TensorOperand& operand) const;
  void tile(const TensorOperand& operand, const ArrayTile& tile) const;
  // [lanes, columns] of the product's result.
  void result(const TileView& psum, const ArrayTile& tile, unsigned lanes, std::uint64_t columns,
              TensorMode mode, Rounding rounding) const;
  void transposed(const TileView& psum, const TileView& source) const;

 private:
  [[noreturn]] void fail(const std::string& message) const;
  void require(bool condition, const std::string& message) const {
    if (!condition) fail(message);
  }
  void format(const TensorOperand& operand, const char* role) const;
  void rows(const TensorOperand& operand, const char* role) const;
  void run(const TensorOperand& operand) const;
  void scales(const TensorOperand& operand, const char* role, bool is_stationary) const;
  void tags(const TensorOperand& operand) const;

  const ChipConfig& chip_;
  SourceLine where_;
  std::string name_;
};

}  // namespace tern::kernels

// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/block_operands.h"

#include <cmath>

#include "systemc/numerics/fp8.h"

namespace tern {

namespace {

constexpr unsigned kBlockRows = 8;
constexpr unsigned kQuadrant = 32;  // rows that share scale partitions

bool is_fp4(TensorType type) {
  return type == TensorType::kE2m1X4;
}

template <typename Decode>
BlockFormat make_format(unsigned codes, bool wide, Decode decode) {
  BlockFormat format = {};
  format.mask = codes - 1;
  format.wide = wide;
  for (unsigned code = 0; code < codes; ++code) {
    const double value = decode(static_cast<std::uint8_t>(code));
    format.values[code] = value;
    if (!std::isfinite(value)) continue;
    format.finite[code] = value;
    const double magnitude = std::fabs(value);
    format.classes[magnitude < 1 ? 0 : magnitude < 16384 ? 1 : 2][code] = value;
  }
  return format;
}

}  // namespace

BlockLayout::BlockLayout(const TensorCommand& command) {
  const bool quad = command.mode == TensorMode::kQuad;
  passes = quad ? 4 : 1;
  blocks = command.rows / (quad ? kQuadrant : kBlockRows);
  items = command.mode == TensorMode::kDoubleRow ? 2 * kBlockRows : 4 * kBlockRows;
}

BlockItem block_item(const TensorCommand& command, const BlockLayout& layout, unsigned step,
                     unsigned item) {
  const unsigned block = step % layout.blocks;
  BlockItem at = {};
  unsigned slot = 0;
  switch (command.mode) {
    case TensorMode::kQuad:
      at.partition = kQuadrant * block + item;
      slot = step / layout.blocks;
      break;
    case TensorMode::kMx:
      at.partition = kBlockRows * block + item / 4;
      slot = item % 4;
      break;
    default:
      at.partition = kBlockRows * block + item / 2;
      at.plane = item % 2;
  }
  at.partition += command.row_start;
  at.byte = is_fp4(command.type) ? slot / 2 : slot;
  at.shift = is_fp4(command.type) ? 4 * (slot % 2) : 0;
  return at;
}

unsigned scale_partition(const TensorCommand& command, const BlockLayout& layout, unsigned step) {
  const unsigned block = step % layout.blocks;
  const bool quad = command.mode == TensorMode::kQuad;
  const unsigned row = command.row_start + (quad ? kQuadrant : kBlockRows) * block;
  const unsigned number = quad ? step / layout.blocks : row % kQuadrant / kBlockRows;
  return row / kQuadrant * kQuadrant + command.scale_offset + number;
}

const BlockFormat& block_format(TensorType type) {
  static const BlockFormat e4m3fn = make_format(256, false, numerics::e4m3fn_to_float);
  static const BlockFormat e4m3 = make_format(256, false, numerics::e4m3_to_float);
  static const BlockFormat e5m2 = make_format(256, true, numerics::e5m2_to_float);
  static const BlockFormat e2m1 = make_format(16, false, numerics::e2m1_to_float);
  switch (type) {
    case TensorType::kE5m2:
    case TensorType::kE5m2X4:
      return e5m2;
    case TensorType::kE4m3:
      return e4m3;
    case TensorType::kE2m1X4:
      return e2m1;
    default:
      return e4m3fn;
  }
}

// E5M2 with FP4 needs 41 bits, with FP8 up to 70.
bool is_wide(TensorType a, TensorType b) {
  return !is_fp4(a) && !is_fp4(b) && (block_format(a).wide || block_format(b).wide);
}

double scale_value(std::uint8_t code) {
  return numerics::e8m0_to_float(code);
}

}  // namespace tern

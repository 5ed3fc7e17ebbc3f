// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/block_operands.h"

#include <cmath>

#include "sw/numerics/fp8.h"

namespace tern {

namespace {

constexpr unsigned kBlockRows = 8;
constexpr unsigned kQuadrant = TERN_LIMIT_QUADRANT;  // rows that share scale partitions

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

BlockLayout::BlockLayout(const TensorCommand& command)
    : row_start_(command.row_start),
      planes_(command.mode == TensorMode::kDoubleRow),
      fp4_(is_fp4(command.type)) {
  const bool quad = command.mode == TensorMode::kQuad;
  passes = quad ? 4 : 1;
  rows = quad ? kQuadrant : kBlockRows;
  slots = planes_ ? 2 : quad ? 1 : 4;
  blocks = command.rows / rows;
}

unsigned scale_partition(const TensorCommand& command, const BlockLayout& layout, unsigned step) {
  const unsigned first = layout.partition(step);
  const bool quad = command.mode == TensorMode::kQuad;
  const unsigned number = quad ? layout.pass(step) : first % kQuadrant / kBlockRows;
  return first / kQuadrant * kQuadrant + command.scale_offset + number;
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

// SPDX-License-Identifier: Apache-2.0
#include "sw/reference/quantize.h"

#include <algorithm>
#include <cmath>

namespace tern::reference {
namespace {

struct Shape {
  int mantissa, lowest, largest_exponent;  // `lowest`: of normal numbers
  double largest;
  std::uint8_t sign, nan;
};

Shape shape_of(SmallFormat format) {
  switch (format) {
    case SmallFormat::kE4m3fn:
      return {3, -6, 8, 448, 0x80, 0x7F};
    case SmallFormat::kE4m3:
      return {3, -6, 7, 240, 0x80, 0x7C};
    case SmallFormat::kE5m2:
      return {2, -14, 15, 57344, 0x80, 0x7E};
    default:
      return {1, 0, 2, 6, 0x08, 0x07};
  }
}

}  // namespace

std::uint8_t small_code(SmallFormat format, double value) {
  const Shape shape = shape_of(format);
  if (std::isnan(value)) return shape.nan;
  const std::uint8_t sign = std::signbit(value) ? shape.sign : 0;
  const double magnitude = std::fabs(value);
  if (magnitude >= shape.largest) {
    std::uint8_t code = 0;
    while (small_value(format, code) != shape.largest) ++code;
    return sign | code;
  }
  if (magnitude == 0) return sign;
  // In units of the last place, below the first normal binade in those of that binade.
  int exponent = std::max(std::ilogb(magnitude), shape.lowest);
  double units = std::nearbyint(std::ldexp(magnitude, shape.mantissa - exponent));
  if (units == std::ldexp(1.0, shape.mantissa + 1)) {
    units /= 2;
    ++exponent;
  }
  const double one = std::ldexp(1.0, shape.mantissa);
  const int biased = units < one ? 0 : exponent - shape.lowest + 1;
  const int fraction = static_cast<int>(units < one ? units : units - one);
  const double result = std::ldexp(units, exponent - shape.mantissa);
  if (result > shape.largest) return small_code(format, std::copysign(shape.largest, value));
  return static_cast<std::uint8_t>(sign | biased << shape.mantissa | fraction);
}

BlockOperand quantize_blocks(const std::vector<float>& values, std::size_t columns,
                             SmallFormat format, const BlockOrder& order, ScaleRule rule) {
  BlockOperand operand;
  operand.format = format;
  operand.columns = columns;
  operand.codes.resize(values.size());
  const int emax = shape_of(format).largest_exponent - (rule == ScaleRule::kAws ? 1 : 0);
  for (const auto& slab : order.slabs) {
    for (const auto& block : slab) {
      const std::size_t end = (block.scale_row + 1) * columns;
      if (operand.scales.size() < end) operand.scales.resize(end);
      for (std::size_t j = 0; j < columns; ++j) {
        double largest = 0;
        bool finite = true;
        for (const std::size_t k : block.k) {
          const double value = values[k * columns + j];
          finite = finite && std::isfinite(value);
          largest = std::max(largest, std::fabs(value));
        }
        int exponent = -127;
        if (finite && largest > 0) exponent = std::clamp(std::ilogb(largest) - emax, -127, 127);
        operand.scales[block.scale_row * columns + j] =
            static_cast<std::uint8_t>(finite ? exponent + 127 : 0xFF);
        for (const std::size_t k : block.k) {
          const double value = values[k * columns + j];
          const double scaled = finite ? std::ldexp(value, -exponent) : std::copysign(0.0, value);
          operand.codes[k * columns + j] = small_code(format, scaled);
        }
      }
    }
  }
  return operand;
}

BlockOperand quantize_plain(const std::vector<float>& values, std::size_t columns,
                            SmallFormat format) {
  BlockOperand operand;
  operand.format = format;
  operand.columns = columns;
  for (const float value : values) operand.codes.push_back(small_code(format, value));
  return operand;
}

SparseOperand compress(const std::vector<float>& values, std::size_t k, std::size_t columns,
                       unsigned kept, unsigned group) {
  SparseOperand operand;
  operand.kept = kept;
  operand.group = group;
  operand.columns = columns;
  operand.values.resize(k / group * kept * columns);
  operand.positions.resize(operand.values.size());
  for (std::size_t first = 0; first < k; first += group) {
    for (std::size_t j = 0; j < columns; ++j) {
      std::vector<unsigned> positions;
      for (const bool zeros : {false, true}) {
        for (unsigned p = 0; p < group && positions.size() < kept; ++p) {
          if ((values[(first + p) * columns + j] == 0) == zeros) positions.push_back(p);
        }
      }
      std::sort(positions.begin(), positions.end());
      for (unsigned slot = 0; slot < kept; ++slot) {
        const std::size_t at = (first / group * kept + slot) * columns + j;
        operand.positions[at] = static_cast<std::uint8_t>(positions[slot]);
        operand.values[at] = values[(first + positions[slot]) * columns + j];
      }
    }
  }
  return operand;
}

}  // namespace tern::reference

// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/tensor_operands.h"

#include <algorithm>
#include <cstring>

#include "sw/numerics/bf16.h"
#include "sw/numerics/fp16.h"
#include "sw/numerics/tf32.h"
#include "systemc/engines/tensor/tensor_geometry.h"

namespace tern {

namespace {

using numerics::bits_of;
using numerics::float_of;

bool is_finite(std::uint32_t bits) {
  return (bits & 0x7F800000) != 0x7F800000;
}

// Bits 23..12 and 11..0 of the significand, both with the operand's sign.
float fp32_high(std::uint32_t bits) {
  return float_of(is_finite(bits) ? bits & 0xFFFFF000 : numerics::kCanonicalNan);
}
float fp32_low(std::uint32_t bits) {
  const float low = float_of(bits) - float_of(bits & 0xFFFFF000);  // exact
  const std::uint32_t sign = bits & 0x80000000;
  return float_of(is_finite(bits) ? bits_of(low) | sign : numerics::kCanonicalNan);
}

template <typename Word, float (*kConvert)(Word)>
inline void widen_row(const std::uint8_t* __restrict source, std::size_t count,
                      float* __restrict target) {
#pragma GCC unroll 1
  for (std::size_t i = 0; i < count; ++i) {
    Word raw;
    std::memcpy(&raw, source + sizeof raw * i, sizeof raw);
    target[i] = kConvert(raw);
  }
}

template <typename Word, float (*kConvert)(Word)>
void widen_panel(const std::vector<PatternReader>& planes, unsigned partition, unsigned rows,
                 std::size_t column, std::size_t width, float* panel) {
  std::uint8_t gathered[sizeof(Word) * kPanelColumns];
  for (unsigned row = 0; row < rows; ++row) {
    for (const PatternReader& plane : planes) {
      const std::uint8_t* source = plane.read(partition + row, column, width, gathered);
      if (width == kPanelColumns) {
        widen_row<Word, kConvert>(source, kPanelColumns, panel);
      } else {
        widen_row<Word, kConvert>(source, width, panel);
        std::fill(panel + width, panel + kPanelColumns, 0.0f);
      }
      panel += kPanelColumns;
    }
  }
}

template <typename Word, float (*kConvert)(Word)>
constexpr OperandWidener kWidener = {widen_row<Word, kConvert>, widen_panel<Word, kConvert>};

}  // namespace

OperandWidener operand_widener(const TensorCommand& command) {
  switch (command.type) {
    case TensorType::kBf16:
      return kWidener<std::uint16_t, numerics::bf16_to_float>;
    case TensorType::kFp16:
      return kWidener<std::uint16_t, numerics::fp16_to_float>;
    case TensorType::kTf32:
      return kWidener<std::uint32_t, numerics::tf32_to_float>;
    default:
      return command.high_half ? kWidener<std::uint32_t, fp32_high>
                               : kWidener<std::uint32_t, fp32_low>;
  }
}

PatternReader::PatternReader(const SbufView& sbuf, const TensorCommand& command, unsigned size,
                             std::int64_t address)
    : sbuf_(sbuf),
      address_(address),
      size_(size),
      columns_(pattern_elements(command)),
      num0_(command.num0),
      step0_(command.step0),
      step1_(command.step1),
      contiguous_(is_contiguous(command)) {}

void PatternReader::gather(const std::uint8_t* source, std::size_t column, std::size_t width,
                           std::uint8_t* buffer) const {
  for (std::size_t i = 0; i < width; ++i) {
    const auto i0 = static_cast<std::int64_t>((column + i) % num0_);
    const auto i1 = static_cast<std::int64_t>((column + i) / num0_);
    const std::uint8_t* element =
        source + static_cast<std::int64_t>(size_) * (i0 * step0_ + i1 * step1_);
    switch (size_) {
      case 1:
        buffer[i] = *element;
        break;
      case 2:
        std::memcpy(buffer + 2 * i, element, 2);
        break;
      default:
        std::memcpy(buffer + 4 * i, element, 4);
    }
  }
}

}  // namespace tern

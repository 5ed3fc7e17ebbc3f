// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/mx/mx_unit.h"

#include <cstring>
#include <stdexcept>

#include "sw/numerics/bf16.h"
#include "sw/numerics/fp16.h"
#include "sw/spec/generated/formats.h"

namespace tern {

namespace {

using numerics::kMxBlockElements;
using numerics::kMxBlockRows;
using numerics::kMxSlots;

const numerics::SmallFormat& format_of(unsigned x4) {
  if (x4 == TERN_DTYPE_E5M2_X4) return numerics::kE5m2;
  return x4 == TERN_DTYPE_E2M1_X4 ? numerics::kE2m1 : numerics::kE4m3Fn;
}

// Slot `slot` of an x4 word, decoded.
float element_of(unsigned x4, std::uint32_t word, unsigned slot) {
  const bool fp4 = x4 == TERN_DTYPE_E2M1_X4;
  const unsigned code = fp4 ? word >> (4 * slot) & 0xF : word >> (8 * slot) & 0xFF;
  return numerics::float_of(numerics::decode_bits(format_of(x4), code));
}

class MxModel : public MxUnit {
 public:
  std::uint64_t quantize(const MxQuantizeRequest& request) override;
  std::uint64_t dequantize(const MxDequantizeRequest& request) override;
};

std::uint64_t MxModel::quantize(const MxQuantizeRequest& r) {
  check_mx_request(r);
  const std::size_t columns = r.shape.columns;
  for (unsigned block = 0; block < r.shape.partitions / kMxBlockRows; ++block) {
    const std::size_t first = std::size_t{block} * kMxBlockRows;
    for (std::size_t j = 0; j < columns; ++j) {
      float values[kMxBlockElements];
      for (unsigned i = 0; i < kMxBlockElements; ++i) {
        const auto half = static_cast<std::uint16_t>(
            r.elements[((first + i / kMxSlots) * columns + j) * kMxSlots + i % kMxSlots]);
        values[i] = r.fp16 ? numerics::fp16_to_float(half) : numerics::bf16_to_float(half);
      }
      std::uint8_t codes[kMxBlockElements];
      r.scales[block * columns + j] =
          numerics::mx_quantize(format_of(r.x4_type), r.rule, values, kMxBlockElements, codes);
      for (unsigned row = 0; row < kMxBlockRows; ++row)
        std::memcpy(&r.x4[(first + row) * columns + j], codes + kMxSlots * row, kMxSlots);
    }
  }
  return mx_quantize_cycles(columns);
}

std::uint64_t MxModel::dequantize(const MxDequantizeRequest& r) {
  check_mx_request(r);
  const std::size_t columns = r.shape.columns;
  for (std::size_t i = 0; i < r.shape.partitions * columns; ++i) {
    if (r.scales == nullptr) {
      r.elements[i] = numerics::mx_expand(static_cast<std::uint16_t>(r.x4[i]));
      continue;
    }
    const std::uint8_t scale = r.scales[i / columns / kMxBlockRows * columns + i % columns];
    for (unsigned slot = 0; slot < kMxSlots; ++slot) {
      const float element = element_of(r.x4_type, r.x4[i], slot);
      r.elements[i * kMxSlots + slot] =
          r.result_type == TERN_DTYPE_BF16
              ? numerics::mx_dequantize_bf16(element, scale)
              : numerics::bits_of(numerics::mx_dequantize(element, scale));
    }
  }
  return mx_dequantize_cycles(columns);
}

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("MX converters: ") + what);
}

void check_shape(const MxShape& shape) {
  require(shape.partitions >= kMxQuadrant && shape.partitions <= TERN_CORE_SBUF_COUNT &&
              shape.partitions % kMxQuadrant == 0,
          "32, 64, 96 or 128 partitions expected");
  require(shape.columns >= 1, "at least one column expected");
}

bool is_fp8(unsigned type) {
  return type == TERN_DTYPE_E4M3FN_X4 || type == TERN_DTYPE_E5M2_X4;
}

}  // namespace

void check_mx_request(const MxQuantizeRequest& r) {
  check_shape(r.shape);
  require(is_fp8(r.x4_type), "e4m3fn_x4 or e5m2_x4 expected");
  require(r.elements != nullptr && r.x4 != nullptr && r.scales != nullptr,
          "elements, x4 and scales expected");
}

void check_mx_request(const MxDequantizeRequest& r) {
  check_shape(r.shape);
  const bool fp4 = r.x4_type == TERN_DTYPE_E2M1_X4;
  require(fp4 || is_fp8(r.x4_type), "e4m3fn_x4, e5m2_x4 or e2m1_x4 expected");
  require(r.scales != nullptr ? r.result_type == TERN_DTYPE_BF16 || r.result_type == TERN_DTYPE_FP32
                              : fp4 && r.result_type == TERN_DTYPE_E4M3FN_X4,
          "bf16 or fp32 expected, or without scales e2m1_x4 to e4m3fn_x4");
  require(r.x4 != nullptr && r.elements != nullptr, "x4 and elements expected");
}

std::unique_ptr<MxUnit> make_mx_model() {
  return std::make_unique<MxModel>();
}

}  // namespace tern

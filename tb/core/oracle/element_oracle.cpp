// SPDX-License-Identifier: Apache-2.0
#include "tb/core/oracle/element_oracle.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tern::tb {

std::uint32_t bits(float f) {
  std::uint32_t b;
  std::memcpy(&b, &f, 4);
  return b;
}

float from_bits(std::uint32_t b) {
  float f;
  std::memcpy(&f, &b, 4);
  return f;
}

std::size_t size_of(unsigned dtype) {
  switch (dtype) {
    case TERN_DTYPE_INT8:
    case TERN_DTYPE_UINT8:
    case TERN_DTYPE_E4M3:
    case TERN_DTYPE_E5M2:
    case TERN_DTYPE_E4M3FN:
      return 1;
    case TERN_DTYPE_INT16:
    case TERN_DTYPE_UINT16:
    case TERN_DTYPE_BF16:
    case TERN_DTYPE_FP16:
      return 2;
    default:
      return 4;
  }
}

namespace {

// value < 2^max_exponent; subnormals end at 2^min_exponent.
struct FloatFormat {
  int significand, min_exponent, max_exponent;
};
constexpr FloatFormat kBf16{8, -133, 128}, kFp16{11, -24, 16};

// FP8: codes of the positive values, ascending from zero; the code beyond the largest; NaN.
struct SmallFloat {
  int mantissa, bias;
  unsigned largest, overflow, nan;
};
constexpr SmallFloat kE4m3{3, 7, 0x77, 0x78, 0x7C}, kE5m2{2, 15, 0x7B, 0x7C, 0x7E},
    kE4m3Fn{3, 7, 0x7E, 0x7F, 0x7F};

const SmallFloat* small_float(unsigned dtype) {
  if (dtype == TERN_DTYPE_E4M3) return &kE4m3;
  if (dtype == TERN_DTYPE_E5M2) return &kE5m2;
  return dtype == TERN_DTYPE_E4M3FN ? &kE4m3Fn : nullptr;
}

double magnitude_of(const SmallFloat& format, unsigned code) {
  const int exponent = static_cast<int>(code >> format.mantissa);
  const unsigned one = 1u << format.mantissa;
  const unsigned significand = (code & (one - 1)) + (exponent > 0 ? one : 0);
  return std::ldexp(significand, std::max(exponent, 1) - format.bias - format.mantissa);
}

double decode_small(const SmallFloat& format, std::uint32_t raw) {
  const double sign = (raw & 0x80) != 0 ? -1.0 : 1.0;
  const unsigned code = raw & 0x7F;
  if (code <= format.largest) return sign * magnitude_of(format, code);
  return code == format.overflow && code != format.nan ? sign * kInf : kNan;
}

// The nearest of all codes by search; between two, the even one.
std::uint32_t nearest_small(const SmallFloat& format, double value) {
  if (std::isnan(value)) return format.nan;
  const unsigned sign = std::signbit(value) ? 0x80 : 0;
  const double magnitude = std::fabs(value);
  unsigned best = 0;
  for (unsigned code = 1; code <= format.largest + 1; ++code) {
    const double below = magnitude_of(format, code - 1), above = magnitude_of(format, code);
    const double half = (below + above) / 2;
    if (magnitude > half || (magnitude == half && code % 2 == 0)) best = code;
  }
  if (best <= format.largest) return sign | best;
  return format.overflow == format.nan ? format.nan : sign | format.overflow;
}

struct IntegerRange {
  double low, high;
};
const IntegerRange* integer_range(unsigned dtype) {
  static constexpr IntegerRange kInt8{-128, 127}, kUint8{0, 255}, kInt16{-32768, 32767},
      kUint16{0, 65535}, kInt32{-2147483648.0, 2147483647.0}, kUint32{0, 4294967295.0};
  switch (dtype) {
    case TERN_DTYPE_INT8:
      return &kInt8;
    case TERN_DTYPE_UINT8:
      return &kUint8;
    case TERN_DTYPE_INT16:
      return &kInt16;
    case TERN_DTYPE_UINT16:
      return &kUint16;
    case TERN_DTYPE_INT32:
      return &kInt32;
    case TERN_DTYPE_UINT32:
      return &kUint32;
    default:
      return nullptr;
  }
}

// Nearest even in a format, by scaling to integers.
double round_to(double x, const FloatFormat& format) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = 0;
  std::frexp(x, &exponent);
  const int unit = std::max(exponent - format.significand, format.min_exponent);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
  return std::fabs(rounded) >= std::ldexp(1.0, format.max_exponent) ? std::copysign(kInf, x)
                                                                    : rounded;
}

}  // namespace

std::uint32_t encode(unsigned dtype, double value) {
  if (integer_range(dtype) != nullptr) {
    const auto word = static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
    return size_of(dtype) == 4 ? word : word & ((1u << 8 * size_of(dtype)) - 1);
  }
  if (const SmallFloat* format = small_float(dtype)) return nearest_small(*format, value);
  switch (dtype) {
    case TERN_DTYPE_BF16:
      return std::isnan(value) ? 0x7FC0u : bits(static_cast<float>(value)) >> 16;
    case TERN_DTYPE_FP16: {
      if (std::isnan(value)) return 0x7E00;
      const std::uint32_t sign = std::signbit(value) ? 0x8000u : 0u;
      const double magnitude = std::fabs(value);
      if (std::isinf(value)) return sign | 0x7C00;
      if (magnitude < std::ldexp(1.0, -14))
        return sign | static_cast<std::uint32_t>(std::ldexp(magnitude, 24));
      int exponent = 0;
      const double fraction = std::frexp(magnitude, &exponent);  // in [0.5, 1)
      return sign | (static_cast<std::uint32_t>(exponent + 14) << 10) |
             (static_cast<std::uint32_t>(std::ldexp(fraction, 11)) & 0x3FF);
    }
    default:
      return std::isnan(value) ? 0x7FC00000u : bits(static_cast<float>(value));
  }
}

double decode(unsigned dtype, std::uint32_t raw) {
  if (const SmallFloat* format = small_float(dtype)) return decode_small(*format, raw);
  switch (dtype) {
    case TERN_DTYPE_INT8:
      return static_cast<std::int8_t>(raw);
    case TERN_DTYPE_INT16:
      return static_cast<std::int16_t>(raw);
    case TERN_DTYPE_INT32:
      return static_cast<std::int32_t>(raw);
    case TERN_DTYPE_BF16:
      return from_bits(raw << 16);
    case TERN_DTYPE_FP16: {
      const double sign = (raw & 0x8000) != 0 ? -1.0 : 1.0;
      const int exponent = static_cast<int>(raw >> 10 & 31);
      const double fraction = raw & 0x3FF;
      if (exponent == 31) return fraction != 0 ? kNan : sign * kInf;
      return exponent == 0 ? sign * std::ldexp(fraction, -24)
                           : sign * std::ldexp(1024 + fraction, exponent - 25);
    }
    case TERN_DTYPE_FP32:
      return from_bits(raw);
    default:
      return raw;
  }
}

std::uint32_t convert(unsigned dtype, float value) {
  if (const IntegerRange* range = integer_range(dtype)) {
    if (std::isnan(value)) return 0;
    const double nearest = std::nearbyint(static_cast<double>(value));
    return encode(dtype, std::min(std::max(nearest, range->low), range->high));
  }
  if (dtype == TERN_DTYPE_BF16) return encode(dtype, round_to(value, kBf16));
  if (dtype == TERN_DTYPE_FP16) return encode(dtype, round_to(value, kFp16));
  return encode(dtype, value);
}

float alu(unsigned op, float a, float b) {
  const double x = a, y = b;
  const bool nan = std::isnan(a) || std::isnan(b);
  switch (op) {
    case TERN_ALU_OP_ADD:
      return static_cast<float>(x + y);
    case TERN_ALU_OP_SUBTRACT:
      return static_cast<float>(x - y);
    case TERN_ALU_OP_MULTIPLY:
      return static_cast<float>(x * y);
    case TERN_ALU_OP_MAX:
      if (nan) return kNan;
      return a == b ? (std::signbit(a) ? b : a) : (x > y ? a : b);
    case TERN_ALU_OP_MIN:
      if (nan) return kNan;
      return a == b ? (std::signbit(a) ? a : b) : (x < y ? a : b);
    case TERN_ALU_OP_IS_EQ:
      return x == y;
    case TERN_ALU_OP_IS_NE:
      return x != y;
    case TERN_ALU_OP_IS_GE:
      return x >= y;
    case TERN_ALU_OP_IS_GT:
      return x > y;
    case TERN_ALU_OP_IS_LE:
      return x <= y;
    case TERN_ALU_OP_IS_LT:
      return x < y;
    case TERN_ALU_OP_ABS_MAX:
      return nan ? kNan : std::fmax(std::fabs(a), std::fabs(b));
    case TERN_ALU_OP_ABS_MIN:
      return nan ? kNan : std::fmin(std::fabs(a), std::fabs(b));
    case TERN_ALU_OP_LOGICAL_AND:
      return x != 0 && y != 0;
    case TERN_ALU_OP_LOGICAL_OR:
      return x != 0 || y != 0;
    case TERN_ALU_OP_LOGICAL_XOR:
      return (x != 0) != (y != 0);
    case TERN_ALU_OP_ABS:
      return std::fabs(a);
    case TERN_ALU_OP_SQUARE:
      return static_cast<float>(x * x);
    case TERN_ALU_OP_RELU:
      return std::isnan(a) || a > 0 ? a : 0.0f;
    case TERN_ALU_OP_RSQRT:
      return static_cast<float>(1 / std::sqrt(x));
    case TERN_ALU_OP_RECIPROCAL:
      return static_cast<float>(1 / x);
    default:
      return a;
  }
}

std::vector<double> samples(unsigned dtype, std::size_t count, std::mt19937_64& random) {
  std::vector<double> values;
  const IntegerRange* range = integer_range(dtype);
  if (range != nullptr) {
    values = {0, 1, range->high, range->low, 2, std::floor(range->high / 2)};
    if (size_of(dtype) == 4) values.insert(values.end(), {16777217, 16777219});
  } else if (small_float(dtype) != nullptr) {
    for (std::uint32_t code : {0x00u, 0x80u, 0x01u, 0x77u, 0x78u, 0x7Bu, 0x7Cu, 0x7Eu, 0x7Fu}) {
      values.push_back(decode(dtype, code));
    }
  } else {
    values = {0.0, -0.0, 1, -1, 0.5, 1.5, 2.5, kInf, -kInf, kNan, 65504, -255.5, 3.0, 1.0 / 1024};
  }
  if (dtype == TERN_DTYPE_FP32) {
    for (std::uint32_t b : {0x00000001u, 0x807FFFFFu, 0x7F7FFFFFu, 0x3F800001u, 0x477FEFFFu,
                            0x477FF000u, 0x33000000u}) {
      values.push_back(from_bits(b));
    }
  }
  std::uniform_real_distribution<double> uniform(-1, 1);
  while (values.size() < count) {
    const double v = std::ldexp(uniform(random), static_cast<int>(random() % 12));
    const auto word = static_cast<std::uint32_t>(random());
    switch (dtype) {
      case TERN_DTYPE_BF16:
        values.push_back(round_to(v, kBf16));
        break;
      case TERN_DTYPE_FP16:
        values.push_back(round_to(v, kFp16));
        break;
      case TERN_DTYPE_FP32:
        values.push_back(static_cast<float>(v));
        break;
      default:
        values.push_back(
            decode(dtype, size_of(dtype) == 4 ? word : word & ((1u << 8 * size_of(dtype)) - 1)));
    }
  }
  std::shuffle(values.begin(), values.end(), random);
  values.resize(count);
  return values;
}

}  // namespace tern::tb

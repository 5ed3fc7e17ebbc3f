// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/top/oracle/reference_element.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tern::tb {

std::uint32_t bits_of(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return bits;
}

float float_of(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}

std::uint32_t canonical(float x) {
  return std::isnan(x) ? 0x7FC00000 : bits_of(x);
}

unsigned bytes_of(TensorType type) {
  switch (type) {
    case TensorType::kE4m3:
    case TensorType::kE5m2:
    case TensorType::kE4m3fn:
      return 1;
    case TensorType::kBf16:
    case TensorType::kFp16:
    case TensorType::kE2m1X4:
      return 2;
    default:
      return 4;
  }
}

bool is_x4(TensorType type) {
  return type == TensorType::kE4m3fnX4 || type == TensorType::kE5m2X4 ||
         type == TensorType::kE2m1X4;
}

namespace {

float decode_fp16(std::uint32_t element) {
  const int exponent = (element >> 10) & 0x1F;
  const int fraction = element & 0x3FF;
  float x;
  if (exponent == 31) {
    x = fraction != 0 ? NAN : INFINITY;
  } else if (exponent == 0) {
    x = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    x = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  }
  return (element & 0x8000) != 0 ? -x : x;
}

float decode_fp32_half(std::uint32_t word, bool high) {
  const int exponent = (word >> 23) & 0xFF;
  if (exponent == 255) return NAN;
  const unsigned significand = (word & 0x7FFFFF) | (exponent != 0 ? 0x800000 : 0);
  const unsigned half = high ? significand & 0xFFF000 : significand & 0xFFF;
  const float x = std::ldexp(static_cast<float>(half), std::max(exponent, 1) - 150);
  return (word >> 31) != 0 ? -x : x;
}

}  // namespace

float decode(TensorType type, std::uint32_t element, bool high_half) {
  switch (type) {
    case TensorType::kBf16:
      return float_of(element << 16);
    case TensorType::kFp16:
      return decode_fp16(element);
    case TensorType::kTf32:
      return std::isnan(float_of(element)) ? NAN : float_of(element & 0xFFFFE000);
    default:
      return decode_fp32_half(element, high_half);
  }
}

Fixed fixed_of(TensorType type, unsigned bits) {
  if (type == TensorType::kE2m1X4) {
    const int exponent = (bits >> 1) & 3;
    const std::int64_t significand = (bits & 1) + (exponent != 0 ? 2 : 0);
    const std::int64_t value = significand << (std::max(exponent, 1) + 14);
    return {Fixed::kFinite, (bits & 8) != 0 ? -value : value};
  }
  const std::int64_t sign = (bits & 0x80) != 0 ? -1 : 1;
  if (type == TensorType::kE5m2 || type == TensorType::kE5m2X4) {
    const int exponent = (bits >> 2) & 31;
    if (exponent == 31) return {(bits & 3) != 0 ? Fixed::kNan : Fixed::kInfinity, sign};
    const std::int64_t significand = (bits & 3) + (exponent != 0 ? 4 : 0);
    return {Fixed::kFinite, sign * (significand << (std::max(exponent, 1) - 1))};
  }
  const int exponent = (bits >> 3) & 15;
  if (type == TensorType::kE4m3) {
    if (exponent == 15) return {(bits & 7) != 0 ? Fixed::kNan : Fixed::kInfinity, sign};
  } else if ((bits & 0x7F) == 0x7F) {
    return {Fixed::kNan, 0};
  }
  const std::int64_t significand = (bits & 7) + (exponent != 0 ? 8 : 0);
  return {Fixed::kFinite, sign * (significand << (std::max(exponent, 1) + 6))};
}

Fixed fixed_of_slot(TensorType type, std::uint32_t word, unsigned slot) {
  return type == TensorType::kE2m1X4 ? fixed_of(type, (word >> (4 * slot)) & 15)
                                     : fixed_of(type, (word >> (8 * slot)) & 255);
}

}  // namespace tern::tb

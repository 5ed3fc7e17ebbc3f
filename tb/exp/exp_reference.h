// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <utility>

#include "sw/numerics/dtype.h"
#include "tb/numerics/exp_definition.h"
#include "tb/numerics/mpfr_oracle.h"

namespace tern::tb {

// The exponential unit in MPFR and plain integers (docs/numerics.md, section 4): no code of the
// library, no floating-point addition of the host.
class ExpReference {
 public:
  using DType = numerics::DType;

  // A raw element as the bits of the binary32 number of the same value.
  static std::uint32_t widen(DType type, std::uint32_t raw) {
    if (type == DType::kFp32) return raw;
    if (type == DType::kBf16) return raw << 16;
    const std::uint32_t sign = (raw & 0x8000) << 16, field = raw >> 10 & 31, m = raw & 0x3FF;
    if (field == 31) return sign | 0x7F800000 | m << 13;
    const double value = field != 0 ? std::ldexp(1024.0 + m, static_cast<int>(field) - 25)
                                    : std::ldexp(static_cast<double>(m), -24);
    return sign | numerics::bits_of(static_cast<float>(value));
  }

  // FP32 bits of the exponential of round(x - m).
  std::uint32_t exp(DType type, std::uint32_t raw, float m) {
    const float x = numerics::float_of(widen(type, raw));
    MpfrOracle fp32;
    return defined_exp(numerics::float_of(fp32.subtract(x, m)));
  }

  // The raw element of an FP32 result.
  static std::uint32_t narrow(DType type, std::uint32_t bits) {
    if (type == DType::kFp32) return bits;
    const bool bf16 = type == DType::kBf16;
    if ((bits & 0x7FFFFFFF) > 0x7F800000) return bf16 ? 0x7FC0 : 0x7E00;
    MpfrOracle oracle(bf16 ? kOracleBf16 : kOracleFp16);
    const std::uint32_t rounded = oracle.round(numerics::float_of(bits));
    if (bf16) return rounded >> 16;
    if (rounded == 0x7F800000) return 0x7C00;
    const int exponent = static_cast<int>(rounded >> 23) - 127;
    if (exponent >= -14) return (rounded - (112u << 23)) >> 13;
    return static_cast<std::uint32_t>(std::ldexp(numerics::float_of(rounded), 24));  // exact
  }

  // The sum after one more group of FP32 results.
  static std::uint32_t sum(std::uint32_t acc, const std::uint32_t (&e)[4]) {
    MpfrOracle fp32;
    const auto add = [&](std::uint32_t a, std::uint32_t b) {
      return fp32.add(numerics::float_of(a), numerics::float_of(b));
    };
    return add(acc, add(add(e[0], e[1]), add(e[2], e[3])));
  }
};

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
#include "sw/numerics/stochastic.h"

#include <cstring>
#include <stdexcept>

#include "sw/numerics/float_bits.h"

namespace tern::numerics {

namespace {

// A binary format with fewer exponent bits than FP32; codes without the sign.
struct Target {
  unsigned mantissa;  // bits
  int bias;
  std::uint32_t sign;        // the sign bit
  std::uint32_t largest;     // largest finite value
  std::uint32_t infinity;    // what larger values become: NaN where there is no infinity
  std::uint32_t nan;         // the canonical one
  bool infinity_has_a_sign;  // false if it is that NaN
};

constexpr Target kFp16{10, 15, 0x8000, 0x7BFF, 0x7C00, 0x7E00, true};
constexpr Target kE4m3{3, 7, 0x80, 0x77, 0x78, 0x7C, true};
constexpr Target kE5m2{2, 15, 0x80, 0x7B, 0x7C, 0x7E, true};
constexpr Target kE4m3Fn{3, 7, 0x80, 0x7E, 0x7F, 0x7F, false};

const Target* target_of(DType type) {
  switch (type) {
    case DType::kFp16:
      return &kFp16;
    case DType::kE4m3:
      return &kE4m3;
    case DType::kE5m2:
      return &kE5m2;
    case DType::kE4m3Fn:
      return &kE4m3Fn;
    default:
      return nullptr;
  }
}

// The 32 fraction bits below the target's last place, truncated, plus the draw: a carry rounds up.
bool carries(std::uint32_t significand, unsigned drop, std::uint32_t draw) {
  const std::uint64_t rest = drop >= 32 ? significand : significand & ((1u << drop) - 1);
  std::uint64_t fraction = 0;
  if (drop <= 32) {
    fraction = rest << (32 - drop);
  } else if (drop < 64) {
    fraction = rest >> (drop - 32);
  }
  return fraction + draw > 0xFFFFFFFF;
}

std::uint32_t round_to(const Target& target, float value, std::uint32_t draw) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t sign = (bits >> 31) != 0 ? target.sign : 0;
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return target.nan;
  const std::uint32_t beyond =
      target.infinity_has_a_sign ? sign | target.infinity : target.infinity;
  if (magnitude == 0x7F800000) return beyond;
  const bool subnormal = magnitude < 0x00800000;
  const std::uint32_t significand = subnormal ? magnitude : (magnitude & 0x7FFFFF) | 0x800000;
  // Of the target, before the limit that makes it subnormal there.
  const int exponent = (subnormal ? 1 : static_cast<int>(magnitude >> 23)) - 127 + target.bias;
  const unsigned drop =
      23 - target.mantissa + static_cast<unsigned>(exponent < 1 ? 1 - exponent : 0);
  const std::uint32_t kept = drop >= 32 ? 0 : significand >> drop;
  // A carry out of the significand moves into the exponent.
  const std::uint32_t raise =
      exponent > 1 ? static_cast<std::uint32_t>(exponent - 1) << target.mantissa : 0;
  const std::uint32_t code = kept + raise + (carries(significand, drop, draw) ? 1 : 0);
  return code > target.largest ? beyond : sign | code;
}

}  // namespace

bool rounds_stochastically(DType type) {
  return type == DType::kBf16 || target_of(type) != nullptr;
}

std::uint32_t round_stochastically(DType type, float value, std::uint32_t draw) {
  if (type == DType::kBf16) return bf16_stochastically(value, draw);
  const Target* target = target_of(type);
  if (target == nullptr) throw std::invalid_argument("no stochastic rounding to this format");
  return round_to(*target, value, draw);
}

void narrow_stochastically(DType type, const float* source, void* target, std::size_t count,
                           Xorwow* generators, std::size_t generator_count) {
  auto* bytes = static_cast<unsigned char*>(target);
  const std::size_t size = dtype_size(type);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t code =
        round_stochastically(type, source[i], generators[i % generator_count].draw());
    std::memcpy(bytes + i * size, &code, size);
  }
}

}  // namespace tern::numerics

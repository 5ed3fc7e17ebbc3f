// SPDX-License-Identifier: Apache-2.0
#include "sw/numerics/convert.h"

#include <cstring>
#include <stdexcept>

#include "sw/numerics/fp8.h"

namespace tern::numerics {

namespace {

template <typename Raw, typename Convert>
void widen_all(const void* source, float* target, std::size_t count, Convert convert) {
  const auto* bytes = static_cast<const unsigned char*>(source);
  for (std::size_t i = 0; i < count; ++i) {
    Raw raw;
    std::memcpy(&raw, bytes + i * sizeof(Raw), sizeof(Raw));
    target[i] = convert(raw);
  }
}

template <typename Raw, typename Convert>
void narrow_all(const float* source, void* target, std::size_t count, Convert convert) {
  auto* bytes = static_cast<unsigned char*>(target);
  for (std::size_t i = 0; i < count; ++i) {
    const Raw raw = convert(source[i]);
    std::memcpy(bytes + i * sizeof(Raw), &raw, sizeof(Raw));
  }
}

}  // namespace

void widen(DType type, const void* source, float* target, std::size_t count) {
  switch (type) {
    case DType::kInt8:
      return widen_all<std::int8_t>(source, target, count,
                                    [](std::int8_t v) { return static_cast<float>(v); });
    case DType::kUint8:
      return widen_all<std::uint8_t>(source, target, count,
                                     [](std::uint8_t v) { return static_cast<float>(v); });
    case DType::kInt16:
      return widen_all<std::int16_t>(source, target, count,
                                     [](std::int16_t v) { return static_cast<float>(v); });
    case DType::kUint16:
      return widen_all<std::uint16_t>(source, target, count,
                                      [](std::uint16_t v) { return static_cast<float>(v); });
    case DType::kE4m3:
      return widen_all<std::uint8_t>(source, target, count, e4m3_to_float);
    case DType::kE5m2:
      return widen_all<std::uint8_t>(source, target, count, e5m2_to_float);
    case DType::kE4m3Fn:
      return widen_all<std::uint8_t>(source, target, count, e4m3fn_to_float);
    case DType::kBf16:
      return widen_all<std::uint16_t>(source, target, count,
                                      [](std::uint16_t v) { return bf16_to_float(v); });
    case DType::kFp16:
      return widen_all<std::uint16_t>(source, target, count,
                                      [](std::uint16_t v) { return fp16_to_float(v); });
    case DType::kInt32:
      return widen_all<std::int32_t>(source, target, count, float_from_int32);
    case DType::kUint32:
      return widen_all<std::uint32_t>(source, target, count, float_from_uint32);
    case DType::kFp32:
      std::memcpy(target, source, count * sizeof(float));
      return;
    default:
      throw std::invalid_argument("widen: not a format that the engines compute with");
  }
}

void narrow(DType type, const float* source, void* target, std::size_t count) {
  switch (type) {
    case DType::kInt8:
      return narrow_all<std::int8_t>(source, target, count, int8_from_float);
    case DType::kUint8:
      return narrow_all<std::uint8_t>(source, target, count, uint8_from_float);
    case DType::kInt16:
      return narrow_all<std::int16_t>(source, target, count, int16_from_float);
    case DType::kUint16:
      return narrow_all<std::uint16_t>(source, target, count, uint16_from_float);
    case DType::kE4m3:
      return narrow_all<std::uint8_t>(source, target, count,
                                      [](float v) { return e4m3_from_float(v, Overflow::kIeee); });
    case DType::kE5m2:
      return narrow_all<std::uint8_t>(source, target, count,
                                      [](float v) { return e5m2_from_float(v, Overflow::kIeee); });
    case DType::kE4m3Fn:
      return narrow_all<std::uint8_t>(
          source, target, count, [](float v) { return e4m3fn_from_float(v, Overflow::kIeee); });
    case DType::kBf16:
      return narrow_all<std::uint16_t>(source, target, count,
                                       [](float v) { return bf16_from_float(v); });
    case DType::kFp16:
      return narrow_all<std::uint16_t>(source, target, count,
                                       [](float v) { return fp16_from_float(v); });
    case DType::kInt32:
      return narrow_all<std::int32_t>(source, target, count, int32_from_float);
    case DType::kUint32:
      return narrow_all<std::uint32_t>(source, target, count, uint32_from_float);
    case DType::kFp32:
      return narrow_all<float>(source, target, count, [](float v) { return canonical(v); });
    default:
      throw std::invalid_argument("narrow: not a format that the engines compute with");
  }
}

float widen_element(DType type, const void* source) {
  float value;
  widen(type, source, &value, 1);
  return value;
}

void narrow_element(DType type, float value, void* target) {
  narrow(type, &value, target, 1);
}

}  // namespace tern::numerics

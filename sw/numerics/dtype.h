// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tern::numerics {

// Element formats, with the codes that instructions carry (docs/spec/formats.yaml). An x4 element
// holds the four elements of one MX column.
enum class DType : std::uint8_t {
  kInt8 = 2,
  kUint8 = 3,
  kInt16 = 4,
  kUint16 = 5,
  kBf16 = 6,
  kFp16 = 7,
  kInt32 = 8,
  kUint32 = 9,
  kFp32 = 10,
  kTf32 = 11,
  kE4m3 = 14,
  kE5m2 = 15,
  kE4m3Fn = 16,
  kE2m1 = 17,
  kE8m0 = 18,
  kE4m3FnX4 = 20,
  kE5m2X4 = 21,
  kE2m1X4 = 22,
};

namespace detail {

struct DTypeInfo {
  DType type;
  std::string_view name;
  std::uint8_t size;
};

constexpr DTypeInfo kDTypeInfo[] = {
    {DType::kInt8, "int8", 1},      {DType::kUint8, "uint8", 1},
    {DType::kInt16, "int16", 2},    {DType::kUint16, "uint16", 2},
    {DType::kBf16, "bf16", 2},      {DType::kFp16, "fp16", 2},
    {DType::kInt32, "int32", 4},    {DType::kUint32, "uint32", 4},
    {DType::kFp32, "fp32", 4},      {DType::kTf32, "tf32", 4},
    {DType::kE4m3, "e4m3", 1},      {DType::kE5m2, "e5m2", 1},
    {DType::kE4m3Fn, "e4m3fn", 1},  {DType::kE2m1, "e2m1", 0},
    {DType::kE8m0, "e8m0", 1},      {DType::kE4m3FnX4, "e4m3fn_x4", 4},
    {DType::kE5m2X4, "e5m2_x4", 4}, {DType::kE2m1X4, "e2m1_x4", 2},
};

}  // namespace detail

constexpr DType kAllDTypes[] = {DType::kInt8,   DType::kUint8, DType::kInt16, DType::kUint16,
                                DType::kBf16,   DType::kFp16,  DType::kInt32, DType::kUint32,
                                DType::kFp32,   DType::kTf32,  DType::kE4m3,  DType::kE5m2,
                                DType::kE4m3Fn, DType::kE2m1,  DType::kE8m0,  DType::kE4m3FnX4,
                                DType::kE5m2X4, DType::kE2m1X4};

// Formats that the Vector and Scalar engines compute with: widen() and narrow() support these.
constexpr DType kComputeDTypes[] = {DType::kInt8, DType::kUint8, DType::kInt16, DType::kUint16,
                                    DType::kBf16, DType::kFp16,  DType::kInt32, DType::kUint32,
                                    DType::kFp32, DType::kE4m3,  DType::kE5m2,  DType::kE4m3Fn};

constexpr bool is_compute_dtype(DType type) {
  for (DType compute : kComputeDTypes) {
    if (compute == type) return true;
  }
  return false;
}

// Bytes of one element; 0 for e2m1, which has no byte of its own (it occurs as x4), and for a value
// that is none of the codes above.
constexpr std::size_t dtype_size(DType type) {
  for (const detail::DTypeInfo& info : detail::kDTypeInfo) {
    if (info.type == type) return info.size;
  }
  return 0;
}

constexpr std::string_view dtype_name(DType type) {
  for (const detail::DTypeInfo& info : detail::kDTypeInfo) {
    if (info.type == type) return info.name;
  }
  return "invalid";
}

// The format of a name as dtype_name() spells it.
constexpr std::optional<DType> parse_dtype(std::string_view name) {
  for (DType type : kAllDTypes) {
    if (dtype_name(type) == name) return type;
  }
  return std::nullopt;
}

// The format of an instruction's code.
constexpr std::optional<DType> dtype_from_code(unsigned code) {
  for (DType type : kAllDTypes) {
    if (static_cast<unsigned>(type) == code) return type;
  }
  return std::nullopt;
}

}  // namespace tern::numerics

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sw/spec/generated/formats.h"

namespace tern::numerics {

// Element formats, with the codes that instructions carry (docs/spec/formats.yaml). An x4 element
// holds the four elements of one MX column.
enum class DType : std::uint8_t {
  kInt8 = TERN_DTYPE_INT8,
  kUint8 = TERN_DTYPE_UINT8,
  kInt16 = TERN_DTYPE_INT16,
  kUint16 = TERN_DTYPE_UINT16,
  kBf16 = TERN_DTYPE_BF16,
  kFp16 = TERN_DTYPE_FP16,
  kInt32 = TERN_DTYPE_INT32,
  kUint32 = TERN_DTYPE_UINT32,
  kFp32 = TERN_DTYPE_FP32,
  kTf32 = TERN_DTYPE_TF32,
  kE4m3 = TERN_DTYPE_E4M3,
  kE5m2 = TERN_DTYPE_E5M2,
  kE4m3Fn = TERN_DTYPE_E4M3FN,
  kE2m1 = TERN_DTYPE_E2M1,
  kE8m0 = TERN_DTYPE_E8M0,
  kE4m3FnX4 = TERN_DTYPE_E4M3FN_X4,
  kE5m2X4 = TERN_DTYPE_E5M2_X4,
  kE2m1X4 = TERN_DTYPE_E2M1_X4,
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

// The formats that results of FP32 arithmetic are stored in.
constexpr bool is_float(DType type) {
  return type == DType::kFp32 || type == DType::kBf16 || type == DType::kFp16;
}

// Of 8, 16 or 32 bits.
constexpr bool is_integer(DType type) {
  return type == DType::kInt8 || type == DType::kUint8 || type == DType::kInt16 ||
         type == DType::kUint16 || type == DType::kInt32 || type == DType::kUint32;
}

constexpr bool is_fp8_x4(DType type) {
  return type == DType::kE4m3FnX4 || type == DType::kE5m2X4;
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tern::numerics {

// Element formats, with the codes that instructions carry.
enum class DType : std::uint8_t {
  kUint8 = 3,
  kBf16 = 6,
  kFp16 = 7,
  kInt32 = 8,
  kUint32 = 9,
  kFp32 = 10,
};

constexpr DType kAllDTypes[] = {DType::kUint8, DType::kBf16,   DType::kFp16,
                                DType::kInt32, DType::kUint32, DType::kFp32};

// Bytes of one element; 0 if the value is none of the codes above.
constexpr std::size_t dtype_size(DType type) {
  switch (type) {
    case DType::kUint8:
      return 1;
    case DType::kBf16:
    case DType::kFp16:
      return 2;
    case DType::kInt32:
    case DType::kUint32:
    case DType::kFp32:
      return 4;
  }
  return 0;
}

constexpr std::string_view dtype_name(DType type) {
  switch (type) {
    case DType::kUint8:
      return "uint8";
    case DType::kBf16:
      return "bf16";
    case DType::kFp16:
      return "fp16";
    case DType::kInt32:
      return "int32";
    case DType::kUint32:
      return "uint32";
    case DType::kFp32:
      return "fp32";
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

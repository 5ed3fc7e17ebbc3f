// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/trace/element_type.h"

#include <utility>

#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace {

constexpr ElementType kTypes[] = {
    {"int8", DType::kInt8},
    {"uint8", DType::kUint8},
    {"int16", DType::kInt16},
    {"uint16", DType::kUint16},
    {"int32", DType::kInt32},
    {"uint32", DType::kUint32},
    {"float16", DType::kFp16},
    {"bfloat16", DType::kBf16},
    {"tfloat32", DType::kTf32},
    {"float32", DType::kFp32},
    {"float8_e4m3", DType::kE4m3},
    {"float8_e4m3fn", DType::kE4m3Fn},
    {"float8_e5m2", DType::kE5m2},
    {"float8_e8m0fnu", DType::kE8m0},
    {"float8_e4m3fn_x4", DType::kE4m3FnX4},
    {"float8_e5m2_x4", DType::kE5m2X4},
    {"float4_e2m1fn_x4", DType::kE2m1X4},
    {"bool", DType::kUint8},  // a byte of 0 or 1
};

constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"bool_", "bool"},
    {"float8e4", "float8_e4m3"},
    {"float8e5", "float8_e5m2"},
};

}  // namespace

const ElementType* find_element_type(std::string_view name) {
  for (const auto& [other, usual] : kOtherNames) {
    if (name == other) name = usual;
  }
  for (const ElementType& type : kTypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

const ElementType* element_type(std::string_view name) {
  const ElementType* type = find_element_type(name);
  if (type == nullptr) throw NkiError("unknown dtype '" + std::string(name) + "'");
  return type;
}

}  // namespace tern::nki

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tern::data {

// Element types of stored arrays. F16 and BF16 elements are carried as their 16 raw bits.
enum class DType { kF16, kBf16, kF32, kF64, kU8, kU16, kI32, kU32, kI64 };

std::size_t size_of(DType dtype);
const char* name_of(DType dtype);  // "float32", as NumPy spells it

// Row-major extents; empty is a scalar.
using Shape = std::vector<std::size_t>;

std::string to_string(const Shape& shape);  // "[784, 128]"

// Number of elements, or none if it does not fit 63 bits.
std::optional<std::size_t> element_count(const Shape& shape);

// Whether elements of `dtype` are stored as C++ type T.
template <typename T>
bool holds(DType dtype);

template <>
inline bool holds<float>(DType d) {
  return d == DType::kF32;
}
template <>
inline bool holds<double>(DType d) {
  return d == DType::kF64;
}
template <>
inline bool holds<std::uint8_t>(DType d) {
  return d == DType::kU8;
}
template <>
inline bool holds<std::uint16_t>(DType d) {
  return d == DType::kU16 || d == DType::kF16 || d == DType::kBf16;
}
template <>
inline bool holds<std::int32_t>(DType d) {
  return d == DType::kI32;
}
template <>
inline bool holds<std::uint32_t>(DType d) {
  return d == DType::kU32;
}
template <>
inline bool holds<std::int64_t>(DType d) {
  return d == DType::kI64;
}

}  // namespace tern::data

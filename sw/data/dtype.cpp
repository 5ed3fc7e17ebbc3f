// SPDX-License-Identifier: Apache-2.0
#include "sw/data/dtype.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace tern::data {

std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::kU8:
      return 1;
    case DType::kF16:
    case DType::kBf16:
    case DType::kU16:
      return 2;
    case DType::kF32:
    case DType::kI32:
    case DType::kU32:
      return 4;
    case DType::kF64:
    case DType::kI64:
      return 8;
  }
  throw std::logic_error("size_of: not a DType");
}

const char* name_of(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return "float16";
    case DType::kBf16:
      return "bfloat16";
    case DType::kF32:
      return "float32";
    case DType::kF64:
      return "float64";
    case DType::kU8:
      return "uint8";
    case DType::kU16:
      return "uint16";
    case DType::kI32:
      return "int32";
    case DType::kU32:
      return "uint32";
    case DType::kI64:
      return "int64";
  }
  throw std::logic_error("name_of: not a DType");
}

std::string to_string(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::optional<std::size_t> element_count(const Shape& shape) {
  // A zero extent makes the array empty, however large the others are.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  constexpr std::size_t kMax = INT64_MAX;
  std::size_t count = 1;
  for (const std::size_t extent : shape) {
    if (count > kMax / extent) return std::nullopt;
    count *= extent;
  }
  return count;
}

}  // namespace tern::data

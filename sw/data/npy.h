// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <istream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sw/data/dtype.h"

namespace tern::data {

// An array as NumPy stores it: row-major, little-endian.
struct NpyArray {
  DType dtype = DType::kF32;
  Shape shape;
  std::vector<std::uint8_t> bytes;

  std::size_t size() const { return bytes.size() / size_of(dtype); }

  // The elements as T; float16 and bfloat16 as std::uint16_t. Requesting another type is a
  // programming error.
  template <typename T>
  std::vector<T> values() const {
    if (!holds<T>(dtype)) throw std::logic_error("NpyArray::values: wrong element type");
    std::vector<T> out(size());
    if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }
};

template <typename T>
NpyArray make_array(DType dtype, Shape shape, const std::vector<T>& values) {
  if (!holds<T>(dtype) || element_count(shape) != values.size()) {
    throw std::logic_error("make_array: element type or shape does not fit the values");
  }
  NpyArray array{dtype, std::move(shape), std::vector<std::uint8_t>(values.size() * sizeof(T))};
  if (!values.empty()) std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

// NumPy has no bfloat16: such arrays are stored as the raw bits in uint16 (or as the void type "V2"
// that the ml_dtypes package writes). Only the reader knows which one is meant.
enum class TwoBytes { kUnsigned, kBf16Bits };

// Format versions 1 to 3. Every fault of the file is a UserError "FILE: ...".
NpyArray read_npy(const std::filesystem::path& path, TwoBytes two_bytes = TwoBytes::kUnsigned);
NpyArray read_npy(std::istream& stream, const std::string& name,
                  TwoBytes two_bytes = TwoBytes::kUnsigned);

// As an extent of an expected shape: any size is accepted.
constexpr std::size_t kAnyExtent = SIZE_MAX;

// Reads, and requires element type and shape. Expecting bfloat16 takes uint16 files as raw bits.
NpyArray read_npy_as(const std::filesystem::path& path, DType dtype, const Shape& shape);

// Writes FILE.partial, then renames. bfloat16 is written as uint16.
void write_npy(const std::filesystem::path& path, const NpyArray& array, unsigned version = 1);

}  // namespace tern::data

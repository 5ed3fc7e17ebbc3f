// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/pack/mx_pack.h"

#include <algorithm>
#include <string>

#include "sw/base/user_error.h"
#include "sw/kernels/pack/matrix_check.h"

namespace tern::kernels {

namespace {

using numerics::DType;
using numerics::kMxBlockElements;
using numerics::kMxBlockRows;
using numerics::kMxSlots;

constexpr std::size_t kTileRows = 128, kQuadrant = 32, kTileK = kTileRows * kMxSlots;
constexpr std::size_t kBlocksInQuadrant = kQuadrant / kMxBlockRows;
constexpr unsigned kLastOffset = 12;

const numerics::SmallFormat& format_of(const char* name, DType dtype) {
  switch (dtype) {
    case DType::kE4m3FnX4:
      return numerics::kE4m3Fn;
    case DType::kE5m2X4:
      return numerics::kE5m2;
    case DType::kE2m1X4:
      return numerics::kE2m1;
    default:
      throw UserError(std::string(name) + ": expected e4m3fn_x4, e5m2_x4 or e2m1_x4, got " +
                      std::string(numerics::dtype_name(dtype)));
  }
}

std::size_t round_up(std::size_t value, std::size_t grain) {
  return (value + grain - 1) / grain * grain;
}

MxPacked empty(std::size_t rows, std::size_t columns, DType dtype) {
  MxPacked packed;
  packed.dtype = dtype;
  packed.rows = rows;
  packed.columns = columns;
  packed.data.resize(rows * columns * numerics::dtype_size(dtype));
  packed.scales.resize(rows / kMxBlockRows * columns);
  return packed;
}

// An element's position on the partitions.
struct Place {
  std::size_t row, slot;
};

void store(const Place& place, std::size_t column, std::uint8_t code, MxPacked* packed) {
  const std::size_t element = place.row * packed->columns + column;
  if (packed->dtype == DType::kE2m1X4) {
    packed->data[2 * element + place.slot / 2] |=
        static_cast<std::uint8_t>(code << (4 * (place.slot % 2)));
  } else {
    packed->data[4 * element + place.slot] = code;
  }
}

// Quantises every block. place_of(block, i) is the position of element i of a block,
// value_at(place, column) its value.
template <typename PlaceOf, typename ValueAt>
void fill(const numerics::SmallFormat& format, numerics::MxRule rule, PlaceOf place_of,
          ValueAt value_at, MxPacked* packed) {
  for (std::size_t block = 0; block < packed->rows / kMxBlockRows; ++block) {
    for (std::size_t column = 0; column < packed->columns; ++column) {
      float values[kMxBlockElements];
      std::uint8_t codes[kMxBlockElements];
      for (std::size_t i = 0; i < kMxBlockElements; ++i) {
        values[i] = value_at(place_of(block, i), column);
      }
      packed->scales[block * packed->columns + column] =
          numerics::mx_quantize(format, rule, values, kMxBlockElements, codes);
      for (std::size_t i = 0; i < kMxBlockElements; ++i) {
        store(place_of(block, i), column, codes[i], packed);
      }
    }
  }
}

}  // namespace

MxPacked pack_mx(const std::vector<float>& values, std::size_t k, std::size_t columns, DType dtype,
                 numerics::MxRule rule) {
  const numerics::SmallFormat& format = format_of("pack_mx", dtype);
  check_matrix("pack_mx", values.size(), k, columns);
  MxPacked packed = empty(round_up(k, kQuadrant * kMxSlots) / kMxSlots, columns, dtype);
  const auto place_of = [](std::size_t block, std::size_t i) {
    return Place{block * kMxBlockRows + i / kMxSlots, i % kMxSlots};
  };
  const auto value_at = [&](const Place& place, std::size_t column) {
    const std::size_t tile = place.row / kTileRows;
    const std::size_t rows = std::min(kTileRows, packed.rows - tile * kTileRows);
    const std::size_t at = tile * kTileK + place.slot * rows + place.row % kTileRows;
    return at < k ? values[at * columns + column] : 0.0f;
  };
  fill(format, rule, place_of, value_at, &packed);
  return packed;
}

MxPacked pack_quad(const std::array<std::vector<float>, 4>& products, std::size_t k,
                   std::size_t columns, DType dtype, numerics::MxRule rule) {
  const numerics::SmallFormat& format = format_of("pack_quad", dtype);
  for (const auto& values : products) check_matrix("pack_quad", values.size(), k, columns);
  MxPacked packed = empty(round_up(k, kQuadrant), columns, dtype);
  const auto place_of = [](std::size_t block, std::size_t i) {
    return Place{block / kBlocksInQuadrant * kQuadrant + i, block % kBlocksInQuadrant};
  };
  const auto value_at = [&](const Place& place, std::size_t column) {
    return place.row < k ? products[place.slot][place.row * columns + column] : 0.0f;
  };
  fill(format, rule, place_of, value_at, &packed);
  return packed;
}

void place_scales(const MxPacked& packed, unsigned offset, std::vector<std::uint8_t>* image) {
  if (offset % 4 != 0 || offset > kLastOffset) {
    throw UserError("place_scales: offset " + std::to_string(offset) + ": expected 0, 4, 8 or 12");
  }
  if (image->size() != packed.rows * packed.columns) {
    throw UserError("place_scales: an image of " + std::to_string(image->size()) +
                    " bytes: expected " + std::to_string(packed.rows) + " x " +
                    std::to_string(packed.columns));
  }
  for (std::size_t block = 0; block < packed.rows / kMxBlockRows; ++block) {
    const std::size_t row =
        block / kBlocksInQuadrant * kQuadrant + offset + block % kBlocksInQuadrant;
    std::copy_n(packed.scales.begin() + static_cast<std::ptrdiff_t>(block * packed.columns),
                packed.columns, image->begin() + static_cast<std::ptrdiff_t>(row * packed.columns));
  }
}

}  // namespace tern::kernels

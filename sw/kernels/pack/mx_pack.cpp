// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/pack/mx_pack.h"

#include <algorithm>
#include <string>

#include "sw/kernels/pack/matrix_check.h"
#include "systemc/config/user_error.h"

namespace tern::kernels {

namespace {

using numerics::DType;
using numerics::kMxBlockElements;
using numerics::kMxBlockRows;
using numerics::kMxSlots;

constexpr std::size_t kTileRows = 128, kQuadrant = 32, kTileK = kTileRows * kMxSlots;
constexpr std::size_t kBlocksInQuadrant = kQuadrant / kMxBlockRows;
constexpr unsigned kLastOffset = 12;

const numerics::SmallFormat& format_of(DType dtype) {
  switch (dtype) {
    case DType::kE4m3FnX4:
      return numerics::kE4m3Fn;
    case DType::kE5m2X4:
      return numerics::kE5m2;
    case DType::kE2m1X4:
      return numerics::kE2m1;
    default:
      throw UserError("pack_mx: expected e4m3fn_x4, e5m2_x4 or e2m1_x4, got " +
                      std::string(numerics::dtype_name(dtype)));
  }
}

// One tile of the matrix: k = first + slot * rows + row.
struct TileOfK {
  std::size_t first, rows;
};

// Where element i of block `block` of a quadrant lies.
struct Place {
  std::size_t row;  // in the quadrant
  std::size_t slot;
};
Place place_of(MxBlocks blocks, std::size_t block, std::size_t i) {
  if (blocks == MxBlocks::kOneSlot) return {i, block};
  return {block * kMxBlockRows + i / kMxSlots, i % kMxSlots};
}

class Packer {
 public:
  Packer(const std::vector<float>& values, std::size_t k, MxPacked* packed, numerics::MxRule rule,
         MxBlocks blocks)
      : values_(values), k_(k), packed_(packed), rule_(rule), blocks_(blocks) {}

  void tile(const TileOfK& tile) {
    for (std::size_t quadrant = 0; quadrant < tile.rows; quadrant += kQuadrant) {
      for (std::size_t block = 0; block < kBlocksInQuadrant; ++block) {
        for (std::size_t column = 0; column < packed_->columns; ++column) {
          one_block(tile, quadrant, block, column);
        }
      }
    }
    first_row_ += tile.rows;
  }

 private:
  void one_block(const TileOfK& tile, std::size_t quadrant, std::size_t block, std::size_t column) {
    float values[kMxBlockElements];
    std::uint8_t codes[kMxBlockElements];
    for (std::size_t i = 0; i < kMxBlockElements; ++i) {
      const Place place = place_of(blocks_, block, i);
      const std::size_t k = tile.first + place.slot * tile.rows + quadrant + place.row;
      values[i] = k < k_ ? values_[k * packed_->columns + column] : 0.0f;
    }
    const std::size_t scale_row = (first_row_ + quadrant) / kMxBlockRows + block;
    packed_->scales[scale_row * packed_->columns + column] =
        numerics::mx_quantize(format_of(packed_->dtype), rule_, values, kMxBlockElements, codes);
    for (std::size_t i = 0; i < kMxBlockElements; ++i) {
      const Place place = place_of(blocks_, block, i);
      const std::size_t element = (first_row_ + quadrant + place.row) * packed_->columns + column;
      if (packed_->dtype == DType::kE2m1X4) {
        packed_->data[2 * element + place.slot / 2] |=
            static_cast<std::uint8_t>(codes[i] << (4 * (place.slot % 2)));
      } else {
        packed_->data[4 * element + place.slot] = codes[i];
      }
    }
  }

  const std::vector<float>& values_;
  std::size_t k_;
  MxPacked* packed_;
  numerics::MxRule rule_;
  MxBlocks blocks_;
  std::size_t first_row_ = 0;
};

}  // namespace

MxPacked pack_mx(const std::vector<float>& values, std::size_t k, std::size_t columns, DType dtype,
                 numerics::MxRule rule, MxBlocks blocks) {
  format_of(dtype);
  check_matrix("pack_mx", values.size(), k, columns);
  std::vector<TileOfK> tiles;
  MxPacked packed;
  for (std::size_t first = 0; first < k; first += kTileK) {
    const std::size_t rest = std::min(k - first, kTileK);
    const std::size_t quadrants = (rest + kQuadrant * kMxSlots - 1) / (kQuadrant * kMxSlots);
    tiles.push_back({first, quadrants * kQuadrant});
    packed.rows += tiles.back().rows;
  }
  packed.dtype = dtype;
  packed.columns = columns;
  packed.data.resize(packed.rows * columns * numerics::dtype_size(dtype));
  packed.scales.resize(packed.rows / kMxBlockRows * columns);
  Packer packer(values, k, &packed, rule, blocks);
  for (const TileOfK& tile : tiles) packer.tile(tile);
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

// SPDX-License-Identifier: Apache-2.0
// Corners of a block: not finite, cancellation, ties, and blocks outside the tile.
#include <catch2/catch.hpp>
#include <deque>

#include "tb/tensor/mx/mx_array.h"

namespace tern::tb {
namespace {

// Products of one block: {stationary code, moving code}; element i in row i/4, slot i%4 (double
// row: i/2, i%2).
using Products = std::vector<std::pair<std::uint8_t, std::uint8_t>>;

// Result of one block, given `block` and the scales.
std::uint32_t result(MxArray& array, MxMode mode, MxForm form, const Products& products,
                     unsigned block = 0, std::uint8_t sa = 127, std::uint8_t sb = 127) {
  const unsigned slots = mode == MxMode::kDoubleRow ? 2 : 4;
  MxOperand stationary(mode, form, 0, MxArray::kRows, 1);
  MxOperand moving(mode, form, 0, MxArray::kRows, 1);
  for (unsigned i = 0; i < products.size(); ++i) {
    stationary.element(i % slots, 8 * block + i / slots, 0) = products[i].first;
    moving.element(i % slots, 8 * block + i / slots, 0) = products[i].second;
  }
  if (mode != MxMode::kDoubleRow) {
    stationary.scale(block, 0) = sa;
    moving.scale(block, 0) = sb;
  }
  const std::vector<MxArray::Multiply> multiplies = {{&stationary, &moving}};
  array.check(multiplies);
  return array.run(multiplies)[0][0][0];
}

constexpr std::uint32_t kNan = 0x7FC00000;
constexpr std::uint32_t kInfinity = 0x7F800000;
constexpr std::uint32_t kMinusInfinity = 0xFF800000;

}  // namespace

TEST_CASE("MX block: NaN elements and NaN scales") {
  MxArray array;
  const auto e4m3 = [&](const Products& p, std::uint8_t sa = 127, std::uint8_t sb = 127) {
    return result(array, MxMode::kMx, MxForm::kE4m3Fn, p, 3, sa, sb);
  };
  CHECK(e4m3({{0x7F, 0x38}}) == kNan);
  CHECK(e4m3({{0x38, 0xFF}}) == kNan);
  CHECK(e4m3({{0x7F, 0x00}}) == kNan);
  CHECK(e4m3({{0x7E, 0x7E}}) == 0x48440000);  // 448 * 448: the largest code but NaN is a number
  CHECK(e4m3({}, 255, 127) == kNan);
  CHECK(e4m3({}, 127, 255) == kNan);
  CHECK(e4m3({{0x38, 0x38}}, 255, 0) == kNan);
  CHECK(e4m3({}, 254, 254) == 0);
  CHECK(e4m3({}, 0, 0) == 0);
  for (const std::uint8_t nan : {0x7D, 0x7E, 0x7F, 0xFD}) {
    CHECK(result(array, MxMode::kMx, MxForm::kE5m2, {{nan, 0x3C}}) == kNan);
    CHECK(result(array, MxMode::kMx, MxForm::kE5m2, {{0x00, nan}}) == kNan);
    CHECK(result(array, MxMode::kMx, MxForm::kE5m2, {{0x7C, nan}}) == kNan);
  }
  for (const std::uint8_t nan : {0x79, 0x7F, 0xF9}) {
    CHECK(result(array, MxMode::kDoubleRow, MxForm::kE4m3, {{nan, 0x38}}) == kNan);
  }
}

TEST_CASE("MX block: infinities") {
  MxArray array;
  const auto e5m2 = [&](const Products& p, std::uint8_t sa = 127) {
    return result(array, MxMode::kMx, MxForm::kE5m2, p, 1, sa);
  };
  CHECK(e5m2({{0x7C, 0x3C}}) == kInfinity);
  CHECK(e5m2({{0x7C, 0xBC}}) == kMinusInfinity);
  CHECK(e5m2({{0xFC, 0xFC}}) == kInfinity);
  CHECK(e5m2({{0x7C, 0x01}}, 0) == kInfinity);  // no scale makes it finite
  CHECK(e5m2({{0x7C, 0x00}}) == kNan);
  CHECK(e5m2({{0x80, 0xFC}}) == kNan);
  CHECK(e5m2({{0x7C, 0x3C}, {0xFC, 0x3C}}) == kNan);
  CHECK(e5m2({{0x7C, 0x3C}, {0x3C, 0x7C}, {0x7B, 0xFB}}) == kInfinity);
  CHECK(e5m2({{0xFC, 0x3C}, {}, {}, {}, {0x3C, 0xFC}}) == kMinusInfinity);
  CHECK(e5m2({{0x7C, 0x3C}, {}, {}, {}, {0x3C, 0xFC}}) == kNan);
  CHECK(e5m2({{0x7C, 0x3C}}, 255) == kNan);
  CHECK(result(array, MxMode::kDoubleRow, MxForm::kE4m3, {{0x78, 0xB8}}) == kMinusInfinity);
  CHECK(result(array, MxMode::kDoubleRow, MxForm::kE4m3, {{0x78, 0x80}}) == kNan);
  CHECK(result(array, MxMode::kDoubleRow, MxForm::kE4m3, {{0x77, 0x77}}) == 0x47610000);
}

TEST_CASE("MX block: an infinity of one block against the other blocks") {
  MxArray array;
  for (const std::uint8_t second : {0x7C, 0xFC, 0x3C}) {
    MxOperand stationary(MxMode::kMx, MxForm::kE5m2, 0, 32, 1);
    MxOperand moving(MxMode::kMx, MxForm::kE5m2, 0, 32, 1);
    for (std::uint8_t& code : moving.elements) code = 0x3C;
    stationary.element(0, 0, 0) = 0x7C;
    stationary.element(3, 31, 0) = second;
    const std::vector<MxArray::Multiply> multiplies = {{&stationary, &moving}};
    array.check(multiplies);
    CHECK(array.run(multiplies)[0][0][0] == (second == 0xFC ? kNan : kInfinity));
  }
}

TEST_CASE("MX block: exact sums, where FP32 chains lose") {
  MxArray array;
  const auto e5m2 = [&](const Products& p) {
    return result(array, MxMode::kMx, MxForm::kE5m2, p, 2);
  };
  CHECK(e5m2({{0x7B, 0x7B}, {0x01, 0x01}, {0xFB, 0x7B}}) == 0x2F800000);  // 2^-32 survives
  CHECK(e5m2({{0x3C, 0x3C}, {0xBC, 0x3C}}) == 0);                         // +0
  CHECK(e5m2({{0xBC, 0x3C}, {0x80, 0x3C}, {0x3C, 0x3C}}) == 0);
  CHECK(e5m2({{0x80, 0x80}, {0x80, 0x00}}) == 0);
  CHECK(e5m2({{0x68, 0x68}, {0x3C, 0x3C}}) == 0x4A800002);  // 2^22 + 1: all bits
  CHECK(e5m2({{0x70, 0x68}, {0x3C, 0x3C}}) == 0x4B800000);  // 2^24 + 1: tie, to even
  CHECK(e5m2({{0x70, 0x68}, {0x3C, 0x3C}, {0x01, 0x01}}) == 0x4B800001);
  CHECK(e5m2({{0x70, 0x68}, {0x3C, 0x3C}, {0x81, 0x01}}) == 0x4B800000);
  CHECK(e5m2({{0x70, 0x68}, {0x42, 0x3C}}) == 0x4B800002);  // + 3: tie, to even, upwards
  CHECK(e5m2({{0xF0, 0x68}, {0xBC, 0x3C}, {0x81, 0x01}}) == 0xCB800001);
}

TEST_CASE("MX block: full blocks of the largest and smallest products") {
  MxArray array;
  for (const auto& [form, largest] : {std::pair<MxForm, std::uint8_t>{MxForm::kE4m3Fn, 0x7E},
                                      {MxForm::kE5m2, 0x7B},
                                      {MxForm::kE2m1, 0x7}}) {
    const auto negative = static_cast<std::uint8_t>(form == MxForm::kE2m1 ? 0xF : largest | 0x80);
    for (unsigned block = 0; block < MxArray::kBlocks; ++block) {
      result(array, MxMode::kMx, form, Products(32, {largest, largest}), block);
      result(array, MxMode::kMx, form, Products(32, {negative, largest}), block);
      result(array, MxMode::kMx, form, Products(32, {0x01, 0x01}), block);
      result(array, MxMode::kMx, form, Products(32, {negative, 0x01}), block, 40, 200);
    }
  }
}

TEST_CASE("MX array: a tile in the lower quadrant is not disturbed by the upper one") {
  MxArray array;
  for (const MxMode mode : {MxMode::kDoubleRow, MxMode::kMx, MxMode::kQuad}) {
    // The whole array full of NaN, then a tile below and one above.
    MxOperand nan_tile(mode, MxForm::kE4m3Fn, 0, MxArray::kRows, MxArray::kCols);
    MxOperand nan_stream(mode, MxForm::kE4m3Fn, 0, MxArray::kRows, 4);
    for (std::uint8_t& code : nan_tile.elements) code = 0x7F;
    std::deque<MxOperand> operands;
    std::vector<MxArray::Multiply> multiplies = {{&nan_tile, &nan_stream}};
    for (const unsigned row_start : {32U, 0U}) {
      operands.emplace_back(mode, MxForm::kE4m3Fn, row_start, 32, MxArray::kCols);
      for (std::uint8_t& code : operands.back().elements) code = 0x3A;
      operands.emplace_back(mode, MxForm::kE5m2, row_start, 32, 5);
      for (std::uint8_t& code : operands.back().elements) code = 0xBD;
      multiplies.push_back({&operands[operands.size() - 2], &operands.back()});
    }
    array.check(multiplies);
  }
}

TEST_CASE("MX array: row tiles at the same time, each with its own sums") {
  MxArray array;
  // A stream of NaN through the whole array, then a tile of numbers on each part of the rows; their
  // columns are in the array together.
  for (const unsigned tile : {1U, 2U}) {
    const MxMode mode = tile == 1 ? MxMode::kMx : MxMode::kDoubleRow;
    const unsigned part = MxArray::kRows >> tile;
    std::deque<MxOperand> operands;
    operands.emplace_back(mode, MxForm::kE4m3Fn, 0, MxArray::kRows, MxArray::kCols);
    for (std::uint8_t& code : operands.back().elements) code = 0x7F;
    operands.emplace_back(mode, MxForm::kE4m3Fn, 0, MxArray::kRows, 5);
    std::vector<MxArray::Multiply> multiplies = {{&operands[0], &operands[1]}};
    for (unsigned i = 0; i < 1U << tile; ++i) {
      operands.emplace_back(mode, MxForm::kE4m3Fn, part * i, part, MxArray::kCols, tile);
      for (std::uint8_t& code : operands.back().elements)
        code = static_cast<std::uint8_t>(0x30 + 5 * i);
    }
    for (unsigned i = 0; i < 3U << tile; ++i) {
      const unsigned at = i % (1U << tile);
      operands.emplace_back(mode, MxForm::kE5m2, part * at, part, 12 + i % 3, tile);
      for (std::uint8_t& code : operands.back().elements)
        code = static_cast<std::uint8_t>(0xB0 + i);
      multiplies.push_back({&operands[2 + at], &operands.back()});
    }
    array.check(multiplies);
  }
}

TEST_CASE("MX array: new weights every few cycles, all changes of mode") {
  MxArray array;
  std::deque<MxOperand> operands;
  std::vector<MxArray::Multiply> multiplies;
  const MxMode modes[] = {MxMode::kDoubleRow, MxMode::kMx, MxMode::kQuad};
  for (unsigned i = 0; i < 36; ++i) {
    const MxMode mode = modes[(i / 3 + i * (i % 2)) % 3];
    operands.emplace_back(mode, MxForm::kE4m3Fn, 0, MxArray::kRows, 1 + i % 4);
    MxOperand& stationary = operands.back();
    for (std::uint8_t& code : stationary.elements) code = static_cast<std::uint8_t>(0x20 + i);
    operands.emplace_back(mode, MxForm::kE4m3Fn, 0, MxArray::kRows, 1 + i % 3);
    MxOperand& moving = operands.back();
    for (std::uint8_t& code : moving.elements) code = static_cast<std::uint8_t>(0xB0 - i);
    if (mode != MxMode::kDoubleRow) {
      for (std::uint8_t& scale : stationary.scales) scale = static_cast<std::uint8_t>(120 + i % 11);
      for (std::uint8_t& scale : moving.scales) scale = static_cast<std::uint8_t>(131 - i % 7);
    }
    multiplies.push_back({&stationary, &moving});
  }
  array.check(multiplies);
}

// Not a test: tb/common/check_failing_text.sh runs it.
TEST_CASE("a mismatch on purpose: MX array", "[.]") {
  MxOperand stationary(MxMode::kMx, MxForm::kE4m3Fn, 0, MxArray::kRows, 1);
  MxOperand moving(MxMode::kMx, MxForm::kE4m3Fn, 0, MxArray::kRows, 1);
  stationary.element(1, 9, 0) = moving.element(1, 9, 0) = 0x38;
  MxArray array;
  array.check({{&stationary, &moving}}, 1);
}

}  // namespace tern::tb

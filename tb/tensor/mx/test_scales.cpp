// SPDX-License-Identifier: Apache-2.0
// Scale bytes: every value against a spread of partners, and sums on the edges of FP32.
#include <catch2/catch.hpp>
#include <deque>

#include "tb/tensor/mx/mx_array.h"
#include "tb/tensor/mx/mx_oracle.h"

namespace tern::tb {
namespace {

// A block of these products with all 256 stationary scales, against some moving ones.
struct Content {
  MxForm form;
  std::vector<std::uint8_t> stationary;  // rows 0.. of slot 0
  std::vector<std::uint8_t> moving;
};

void all_scales(const std::vector<Content>& contents, MxMode mode) {
  const unsigned partners[] = {0,   1,   63,  100, 104, 105, 106, 107, 108, 126, 127,
                               128, 129, 150, 180, 200, 230, 245, 253, 254, 255};
  std::deque<MxOperand> operands;
  std::vector<MxArray::Multiply> multiplies;
  for (unsigned first = 0; first < 256; first += MxArray::kCols) {
    const Content& content = contents[first / MxArray::kCols % contents.size()];
    const unsigned slot = mode == MxMode::kQuad ? first / MxArray::kCols % 4 : 0;
    MxOperand stationary(mode, content.form, 0, 32, MxArray::kCols);
    MxOperand moving(mode, content.form, 0, 32, std::size(partners));
    for (unsigned row = 0; row < content.stationary.size(); ++row) {
      for (unsigned column = 0; column < stationary.columns; ++column) {
        stationary.element(slot, row, column) = content.stationary[row];
      }
      for (unsigned column = 0; column < moving.columns; ++column) {
        moving.element(slot, row, column) = content.moving[row];
      }
    }
    for (unsigned column = 0; column < stationary.columns; ++column) {
      stationary.scale(slot, column) = static_cast<std::uint8_t>(first + column);
    }
    for (unsigned column = 0; column < moving.columns; ++column) {
      moving.scale(slot, column) = static_cast<std::uint8_t>(partners[column]);
    }
    operands.push_back(stationary);
    operands.push_back(moving);
    multiplies.push_back({&operands[operands.size() - 2], &operands.back()});
  }
  MxArray array;
  array.check(multiplies);
}

const std::vector<Content> kContents = {
    {MxForm::kE4m3Fn, {0x38}, {0x38}},                        // 1
    {MxForm::kE4m3Fn, {0x38}, {0xB9}},                        // -1.125
    {MxForm::kE4m3Fn, {0x01, 0x7E}, {0x01, 0x7E}},            // 36 bits
    {MxForm::kE5m2, {0x7B, 0x01}, {0xFB, 0x01}},              // 64 bits
    {MxForm::kE5m2, {0x3D, 0x3F, 0x3E}, {0x3F, 0x3F, 0xBF}},  // some bits
    {MxForm::kE5m2, {0x78, 0x2C, 0x01}, {0x78, 0x2C, 0x01}},  // sticky bit far below
    {MxForm::kE4m3Fn, {0x38, 0x38}, {0x38, 0xB8}},            // exact zero
    {MxForm::kE5m2, {0x7C}, {0xBC}},                          // -infinity
};

}  // namespace

TEST_CASE("MX: every scale of a column against a spread of the other's") {
  // Every content with every stationary scale: eight columns a time.
  for (std::size_t i = 0; i < kContents.size(); ++i) all_scales({kContents[i]}, MxMode::kMx);
}

TEST_CASE("quad mode: every scale of a column against a spread of the other's") {
  for (std::size_t i = 0; i < kContents.size(); ++i) all_scales({kContents[i]}, MxMode::kQuad);
}

TEST_CASE("MX: a scale belongs to its block and column") {
  for (const MxMode mode : {MxMode::kMx, MxMode::kQuad}) {
    MxOperand stationary(mode, MxForm::kE4m3Fn, 0, MxArray::kRows, MxArray::kCols);
    MxOperand moving(mode, MxForm::kE4m3Fn, 0, MxArray::kRows, 8);
    for (std::uint8_t& code : stationary.elements) code = 0x38;
    for (std::uint8_t& code : moving.elements) code = 0x38;
    for (unsigned block = 0; block < MxArray::kBlocks; ++block) {
      for (unsigned column = 0; column < MxArray::kCols; ++column) {
        stationary.scale(block, column) = static_cast<std::uint8_t>(120 + block + 3 * column % 8);
        moving.scale(block, column) = static_cast<std::uint8_t>(130 - 2 * block + column);
      }
    }
    MxArray array;
    array.check({{&stationary, &moving}});
  }
}

TEST_CASE("MX oracle: roundings known by heart") {
  const __int128 one = static_cast<__int128>(1) << 32;
  CHECK(mx_round(0, 0) == 0);
  CHECK(mx_round(one, 0) == 0x3F800000);
  CHECK(mx_round(-one, 0) == 0xBF800000);
  CHECK(mx_round(one, -149) == 0x00000001);
  CHECK(mx_round(one, -150) == 0x00000000);  // tie to even
  CHECK(mx_round(-one, -150) == 0x80000000);
  CHECK(mx_round(one + 1, -150) == 0x00000001);  // just above it
  CHECK(mx_round(3 * one, -150) == 0x00000002);  // tie to even, upwards
  CHECK(mx_round(one, 127) == 0x7F000000);
  CHECK(mx_round(one, 128) == 0x7F800000);
  CHECK(mx_round((one << 24) - one, 104) == 0x7F7FFFFF);
  CHECK(mx_round((one << 25) - one, 103) == 0x7F800000);  // tie at the upper end
  CHECK(mx_round((one << 24) + one, 0) == 0x4B800000);
  CHECK(mx_round((one << 24) + 3 * one, 0) == 0x4B800002);
}

}  // namespace tern::tb

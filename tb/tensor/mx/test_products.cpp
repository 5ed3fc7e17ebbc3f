// SPDX-License-Identifier: Apache-2.0
// Every pair of codes as the only product of a block.
#include <catch2/catch.hpp>
#include <deque>

#include "tb/tensor/mx/mx_array.h"

namespace tern::tb {
namespace {

void all_pairs(MxMode mode, MxForm stationary_form, MxForm moving_form) {
  const unsigned stationary_codes = stationary_form == MxForm::kE2m1 ? 16 : 256;
  const unsigned moving_codes = moving_form == MxForm::kE2m1 ? 16 : 256;
  const unsigned slots = mode == MxMode::kDoubleRow ? 2 : 4;
  std::deque<MxOperand> operands;
  std::vector<MxArray::Multiply> multiplies;
  for (unsigned first = 0; first < stationary_codes; first += MxArray::kCols) {
    // Another multiplier each time.
    const unsigned index = first / MxArray::kCols;
    const unsigned slot = index % slots;
    const unsigned row = index * 7 % MxArray::kRows;
    MxOperand stationary(mode, stationary_form, 0, MxArray::kRows, MxArray::kCols);
    for (unsigned column = 0; column < MxArray::kCols; ++column) {
      stationary.element(slot, row, column) = static_cast<std::uint8_t>(first + column);
    }
    MxOperand moving(mode, moving_form, 0, MxArray::kRows, moving_codes);
    for (unsigned code = 0; code < moving_codes; ++code) {
      moving.element(slot, row, code) = static_cast<std::uint8_t>(code);
    }
    operands.push_back(stationary);
    operands.push_back(moving);
    multiplies.push_back({&operands[operands.size() - 2], &operands.back()});
  }
  MxArray array;
  array.check(multiplies);
}

}  // namespace

TEST_CASE("MX: every product of two E4M3FN") {
  all_pairs(MxMode::kMx, MxForm::kE4m3Fn, MxForm::kE4m3Fn);
}

TEST_CASE("MX: every product of two E5M2") {
  all_pairs(MxMode::kMx, MxForm::kE5m2, MxForm::kE5m2);
}

TEST_CASE("MX: every product of E4M3FN and E5M2, in both orders") {
  all_pairs(MxMode::kMx, MxForm::kE4m3Fn, MxForm::kE5m2);
  all_pairs(MxMode::kMx, MxForm::kE5m2, MxForm::kE4m3Fn);
}

TEST_CASE("MX: every product with an E2M1") {
  for (const MxForm form : {MxForm::kE2m1, MxForm::kE4m3Fn, MxForm::kE5m2}) {
    all_pairs(MxMode::kMx, MxForm::kE2m1, form);
    all_pairs(MxMode::kMx, form, MxForm::kE2m1);
  }
}

TEST_CASE("double row: every product of two legacy E4M3") {
  all_pairs(MxMode::kDoubleRow, MxForm::kE4m3, MxForm::kE4m3);
}

TEST_CASE("double row: every product of legacy E4M3 and E5M2, in both orders") {
  all_pairs(MxMode::kDoubleRow, MxForm::kE4m3, MxForm::kE5m2);
  all_pairs(MxMode::kDoubleRow, MxForm::kE5m2, MxForm::kE4m3);
}

TEST_CASE("double row: every product of two E4M3FN and two E5M2") {
  all_pairs(MxMode::kDoubleRow, MxForm::kE4m3Fn, MxForm::kE4m3Fn);
  all_pairs(MxMode::kDoubleRow, MxForm::kE5m2, MxForm::kE5m2);
}

TEST_CASE("quad mode: every product of two E4M3FN and two E5M2") {
  all_pairs(MxMode::kQuad, MxForm::kE4m3Fn, MxForm::kE4m3Fn);
  all_pairs(MxMode::kQuad, MxForm::kE5m2, MxForm::kE5m2);
}

}  // namespace tern::tb

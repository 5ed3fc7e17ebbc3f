// SPDX-License-Identifier: Apache-2.0
// Random blocks of every mode and mixture of formats, multiplies in close succession.
#include <catch2/catch.hpp>
#include <deque>
#include <random>

#include "tb/common/seed.h"
#include "tb/tensor/mx/mx_array.h"

namespace tern::tb {
namespace {

using Rng = std::mt19937_64;

unsigned pick(Rng& rng, unsigned low, unsigned high) {
  return std::uniform_int_distribution<unsigned>(low, high)(rng);
}

bool special(std::uint8_t code, MxForm form) {
  const unsigned magnitude = code & 0x7FU;
  switch (form) {
    case MxForm::kE4m3Fn:
      return magnitude == 0x7F;
    case MxForm::kE4m3:
      return magnitude >= 0x78;
    case MxForm::kE5m2:
      return magnitude >= 0x7C;
    case MxForm::kE2m1:
      return false;
  }
  return false;
}

// Codes of the whole range, of a narrow one (so that sums cancel), or mostly zeros; special ones
// rarely.
void fill(Rng& rng, MxOperand& operand) {
  const unsigned kind = pick(rng, 0, 2);
  const unsigned low = pick(rng, 0, 0x70);
  const bool specials = pick(rng, 0, 3) == 0;
  for (std::uint8_t& code : operand.elements) {
    do {
      const unsigned magnitude = kind == 0 ? pick(rng, 0, 0x7F) : pick(rng, low, low + 0xF);
      const bool zero = kind == 2 && pick(rng, 0, 3) != 0;
      code = static_cast<std::uint8_t>((pick(rng, 0, 1) << 7) | (zero ? 0 : magnitude));
    } while (special(code, operand.form) && !(specials && pick(rng, 0, 19) == 0));
  }
  if (operand.mode == MxMode::kDoubleRow) return;
  const unsigned centre = pick(rng, 0, 3) == 0 ? pick(rng, 0, 255) : 127;
  const unsigned width = pick(rng, 0, 2) * pick(rng, 0, 20);
  for (std::uint8_t& scale : operand.scales) {
    const unsigned value = centre + pick(rng, 0, width);
    scale = static_cast<std::uint8_t>(value < 255 || pick(rng, 0, 9) == 0 ? value : 254);
  }
}

MxForm random_form(Rng& rng, MxMode mode, MxForm partner) {
  if (mode != MxMode::kDoubleRow) {
    const MxForm forms[] = {MxForm::kE4m3Fn, MxForm::kE5m2, MxForm::kE2m1};
    return forms[pick(rng, 0, 2)];
  }
  const MxForm e4m3 = partner == MxForm::kE4m3 ? MxForm::kE4m3 : MxForm::kE4m3Fn;
  return pick(rng, 0, 1) == 0 ? MxForm::kE5m2 : e4m3;
}

struct Program {
  std::deque<MxOperand> operands;
  std::vector<MxArray::Multiply> multiplies;
};

// Rows of the array that an operand of a mode takes.
struct Rows {
  unsigned start, count, tile = 0;
};
Rows random_rows(Rng& rng, MxMode mode) {
  const unsigned grain = mode == MxMode::kDoubleRow ? 8 : 32;
  const unsigned tile = mode == MxMode::kQuad ? 0 : pick(rng, 0, 2);
  const unsigned part = MxArray::kRows >> tile;
  if (tile != 0 && part >= grain) {
    return {part * pick(rng, 0, (1U << tile) - 1), grain * pick(rng, 1, part / grain), tile};
  }
  const unsigned start_grain = mode == MxMode::kDoubleRow ? 16 : 32;
  const unsigned start = start_grain * pick(rng, 0, MxArray::kRows / start_grain - 1);
  return {start, grain * pick(rng, 1, (MxArray::kRows - start) / grain)};
}

// Some loads, each with some multiplies.
Program random_program(Rng& rng, unsigned loads) {
  Program program;
  auto& [operands, multiplies] = program;
  for (unsigned i = 0; i < loads; ++i) {
    const auto mode = static_cast<MxMode>(pick(rng, 0, 2));
    const Rows rows = random_rows(rng, mode);
    const MxForm legacy_or_not = pick(rng, 0, 1) == 0 ? MxForm::kE4m3 : MxForm::kE4m3Fn;
    operands.emplace_back(mode, random_form(rng, mode, legacy_or_not), rows.start, rows.count,
                          pick(rng, 1, MxArray::kCols), rows.tile);
    const MxOperand& stationary = operands.back();
    fill(rng, operands.back());
    for (unsigned k = pick(rng, 1, 3); k > 0; --k) {
      operands.emplace_back(mode, random_form(rng, mode, legacy_or_not), rows.start, rows.count,
                            pick(rng, 1, 12), rows.tile);
      fill(rng, operands.back());
      const unsigned gap = pick(rng, 0, 2) == 0 ? pick(rng, 0, 9) : 0;
      multiplies.push_back({&stationary, &operands.back(), gap});
    }
  }
  return program;
}

}  // namespace

TEST_CASE("MX array: random multiplies of every mode and format") {
  Rng rng(test_seed());
  for (unsigned i = 0; i < 30; ++i) {
    const Program program = random_program(rng, 20);
    MxArray().check(program.multiplies);
  }
}

TEST_CASE("MX array: a reset in any cycle leaves it as new") {
  Rng rng(test_seed() + 1);
  MxArray array;
  for (unsigned life = 0; life < 60; ++life) {
    const Program cut = random_program(rng, 4);
    array.run(cut.multiplies, pick(rng, 1, 90));
    array.reset();
    if (life % 3 != 0) continue;
    const Program whole = random_program(rng, 3);
    array.check(whole.multiplies);
  }
}

}  // namespace tern::tb

// SPDX-License-Identifier: Apache-2.0
// From BF16 to a product of MXFP8 operands on one core: quantize_mx writes elements and scales
// where the tensor engine reads them. Reference: docs/numerics.md, sections 2 and 5, in double.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "tb/common/seed.h"
#include "tb/core/bench/core_bench.h"
#include "tb/numerics/mx_oracle.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr MxFormat kBf16{8, 7, 127, 127, true, false};
constexpr unsigned kRows = 128, kSlots = 4, kBlockRows = 8, kBlocks = kRows / kBlockRows;

// One operand: BF16 values [128, 4 * columns] and their quantised form.
struct Quantised {
  unsigned columns = 0;
  std::vector<std::vector<MxBlock>> blocks;  // [kBlocks][columns], element 4 * row + slot

  double element(unsigned block, unsigned i, unsigned column) const {
    return kMxE4m3Fn.decode(blocks[block][column].codes[i]);
  }
  int scale(unsigned block, unsigned column) const { return blocks[block][column].scale - 127; }
};

Quantised make_operand(CoreBench& bench, std::uint32_t byte, unsigned columns, bool ocp,
                       std::mt19937_64& random) {
  std::vector<std::vector<double>> values(kRows);
  for (unsigned p = 0; p < kRows; ++p) {
    std::vector<std::uint16_t> bits;
    for (unsigned k = 0; k < kSlots * columns; ++k) {
      const double fraction = 1 + static_cast<double>(random() % 128) / 128;
      const int exponent = static_cast<int>(random() % 12) - static_cast<int>(p % 24);
      const double x = std::ldexp((random() & 1) != 0 ? fraction : -fraction, exponent);
      bits.push_back(bf16_of_double(x));
      values[p].push_back(kBf16.decode(bits.back()));
    }
    bench.poke(p, byte, bits);
  }
  Quantised operand;
  operand.columns = columns;
  operand.blocks.resize(kBlocks);
  for (unsigned block = 0; block < kBlocks; ++block) {
    for (unsigned j = 0; j < columns; ++j) {
      std::vector<double> members;
      for (unsigned i = 0; i < kBlockRows * kSlots; ++i) {
        members.push_back(values[block * kBlockRows + i / kSlots][kSlots * j + i % kSlots]);
      }
      operand.blocks[block].push_back(mx_reference(kMxE4m3Fn, ocp, members));
    }
  }
  return operand;
}

// Blocks in order: an exact sum, one rounding of the scaled sum, one of the addition.
float product(const Quantised& a, unsigned m, const Quantised& b, unsigned n) {
  float acc = 0;
  for (unsigned block = 0; block < kBlocks; ++block) {
    double sum = 0;  // exact: 41 bits
    for (unsigned i = 0; i < kBlockRows * kSlots; ++i) {
      sum += a.element(block, i, m) * b.element(block, i, n);
    }
    const auto t = static_cast<float>(std::ldexp(sum, a.scale(block, m) + b.scale(block, n)));
    acc += t;
  }
  return acc;
}

tern_instruction_t with_scales(tern_instruction_t in, unsigned offset, std::uint32_t byte) {
  const bool load = in.header.opcode == TERN_OPCODE_LOAD_STATIONARY;
  auto& mode = load ? in.load_stationary.mode : in.multiply_moving.mode;
  auto& at = load ? in.load_stationary.scale_offset : in.multiply_moving.scale_offset;
  auto& aux = load ? in.load_stationary.aux : in.multiply_moving.aux;
  mode = TERN_TENSOR_MODE_MX;
  at = static_cast<std::uint8_t>(offset);
  aux = byte;
  return in;
}

}  // namespace

TEST_CASE("quantize_mx feeds an MX product, both operands sharing the bytes of their scales") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    constexpr unsigned kM = 40, kN = 60;
    constexpr unsigned kAOffset = 4, kBOffset = 12;
    constexpr std::uint32_t kA = 0, kB = 1024, kAx4 = 2048, kBx4 = 3072, kScales = 4096;
    const Quantised a = make_operand(bench, kA, kM, false, random);
    const Quantised b = make_operand(bench, kB, kN, true, random);
    const auto quantise = [&](std::uint32_t from, std::uint32_t to, unsigned columns,
                              unsigned offset, unsigned rule) {
      return elementwise(TERN_OPCODE_QUANTIZE_MX, kRows,
                         {ap(place(0, to), columns), TERN_DTYPE_E4M3FN_X4},
                         {ap(place(0, from), kSlots * columns), TERN_DTYPE_BF16},
                         {ap(place(offset, kScales), columns), TERN_DTYPE_E8M0}, rule);
    };
    bench.execute(TERN_QUEUE_VECTOR, {quantise(kA, kAx4, kM, kAOffset, TERN_MX_RULE_AWS),
                                      quantise(kB, kBx4, kN, kBOffset, TERN_MX_RULE_OCP)});
    const unsigned x4 = TERN_DTYPE_E4M3FN_X4;
    bench.execute(
        TERN_QUEUE_TENSOR,
        {with_scales(load_stationary(ap(place(0, kAx4), kM), kRows, kM, x4), kAOffset, kScales),
         with_scales(multiply_moving(ap(place(0, kBx4), kN), ap(place(0, 0, kPsum), kN), kRows, kM,
                                     false, x4),
                     kBOffset, kScales)});
    std::size_t wrong = 0;
    for (unsigned m = 0; m < kM; ++m) {
      const auto got = bench.peek_psum(m, 0, kN);
      for (unsigned n = 0; n < kN; ++n) wrong += got[n] != product(a, m, b, n);
    }
    CHECK(wrong == 0);
  });
}

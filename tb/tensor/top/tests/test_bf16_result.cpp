// SPDX-License-Identifier: Apache-2.0
// PSUM in BF16: half words, rounding to nearest and stochastic, the random generators.
#include <catch2/catch.hpp>
#include <cmath>

#include "tb/common/seed.h"
#include "tb/tensor/top/bench/operands.h"
#include "tb/tensor/top/bench/tensor_bench.h"

namespace tern::tb {
namespace {

using Type = TensorType;

// Weights and moving elements of array A, of every partition.
void fill(TensorBench& bench, Random& random, Spread spread) {
  for (unsigned r = 0; r < bench.shape().rows; ++r) {
    for (unsigned i = 0; i < 2048; i += 2)
      bench.sbuf().write(r, i, 2, random_element(random, Type::kBf16, spread));
  }
}

// Multiplies that leave any FP32 word y in lane m: y is the sum of three BF16 parts in rows 0 to 2.
TensorCommand any_words(TensorBench& bench, const std::vector<std::uint32_t>& words) {
  for (unsigned lane = 0; lane < words.size(); ++lane) {
    float rest = float_of(words[lane]);
    for (unsigned row = 0; row < 3; ++row) {
      const float part = float_of(bits_of(rest) & 0xFFFF0000);
      bench.sbuf().write(row, 2 * lane, 2, bits_of(part) >> 16);
      rest -= part;
    }
  }
  for (unsigned row = 0; row < 3; ++row) {
    for (unsigned i = 0; i < 128; ++i) bench.sbuf().write(row, 1024 + 2 * i, 2, 0x3F80);
  }
  return bench.load(0, 3, static_cast<unsigned>(words.size()), 0);
}

TensorCommand bf16(TensorCommand c, bool stochastic) {
  c.bf16_result = true;
  c.stochastic = stochastic;
  return c;
}

}  // namespace

TEST_CASE("tiny: BF16 results: ties, carries into the exponent, overflow, neighbours untouched") {
  TensorBench bench("tiny");
  Random random(test_seed());
  const std::vector<std::uint32_t> words = {0x3F808000, 0x3F818000, 0x3F808001, 0x3F807FFF,
                                            0x3FFF8000, 0x7F7F7FFF, 0x7F7F8000, 0xFF7FFFFF,
                                            0xBF808000, 0xBF818000, 0x40490FDB, 0x00000000,
                                            0x41200000, 0x3FFFFFFF, 0x2F808000, 0x60018000};
  const TensorCommand load = any_words(bench, words);
  bench.write_psum(0, 16, 0, 128, [&](unsigned, unsigned) { return random_binary32(random); });
  bench.run({load, bf16(bench.move(load, 1, 1024, 2, 5), false),
             bf16(bench.move(load, 1, 1024, 2, 8), false),
             bf16(bench.move(load, 9, 1024, 3, 1, true), false)});
  const unsigned column = 2 * 16 + 2;  // element 5: upper half of word 2
  CHECK(bench.reference().psum(0, column) >> 16 == 0x3F80);
  CHECK(bench.reference().psum(1, column) >> 16 == 0x3F82);
  CHECK(bench.reference().psum(4, column) >> 16 == 0x4000);
  CHECK(bench.reference().psum(5, column) >> 16 == 0x7F7F);
  CHECK(bench.reference().psum(6, column) >> 16 == 0x7F80);
  CHECK(bench.reference().psum(7, column) >> 16 == 0xFF80);
  bench.compare_psum();
}

TEST_CASE("tiny: BF16 results of random sums, all modes, across banks") {
  TensorBench bench("tiny");
  Random random(test_seed());
  for (int round = 0; round < 60; ++round) {
    fill(bench, random, round % 5 == 4 ? Spread::kSpecials : Spread::kNearOne);
    TensorCommand load = bench.load(0, 32, 16, 0);
    const auto mode = static_cast<TensorMode>(round % 5);
    load.mode = mode;
    if (mode == TensorMode::kDoubleRow) load.type = Type::kE5m2, load.plane = 256;
    if (mode >= TensorMode::kMx) load.type = Type::kE4m3fnX4;
    load.aux_address = 512;
    std::vector<TensorCommand> program = {load};
    for (int i = 0; i < 4; ++i) {
      TensorCommand move = bf16(bench.move(load, between(random, 1, 40), 1024, below(random, 2),
                                           below(random, 24), i % 2 != 0, load.type),
                                below(random, 2) != 0);
      move.plane = 256;
      program.push_back(move);
    }
    bench.run(program);
  }
  bench.compare_psum();
}

TEST_CASE(
    "tiny: stochastic rounding: exact values stay, others go both ways as often as they should") {
  TensorBench bench("tiny");
  // Fractions of the unit in the last place: 0, 1/4, 1/2, 3/4.
  const TensorCommand load =
      any_words(bench, {0x3F800000, 0x3F804000, 0x3F808000, 0x3F80C000, 0xBF800000, 0xBF804000,
                        0xBF808000, 0xBF80C000, 0x40000000, 0x40004000, 0x40008000, 0x4000C000,
                        0x00000000, 0x3E804000, 0x3E808000, 0x3E80C000});
  unsigned up[16] = {};
  constexpr unsigned kRounds = 20;
  for (unsigned round = 0; round < kRounds; ++round) {
    TensorCommand move = bf16(bench.move(load, 1, 1024, 0, 0), true);
    move.num0 = 128;
    bench.run({load, move});
    for (unsigned lane = 0; lane < 16; ++lane) {
      for (unsigned n = 0; n < 128; ++n)
        up[lane] += (bench.reference().psum(lane, n / 2) >> (16 * (n % 2))) & 1;
    }
  }
  for (unsigned lane = 0; lane < 16; ++lane) {
    const double expected = lane == 12 ? 0.0 : kRounds * 128 * (lane % 4) / 4.0;
    INFO("lane " << lane << ": " << up[lane]);
    REQUIRE(std::abs(up[lane] - expected) <= (lane % 4 == 0 ? 0.0 : 150.0));
  }
  bench.compare_psum();
}

TEST_CASE("tiny: random generators: published sequence, state read and written") {
  TensorBench bench("tiny");
  const unsigned state = bench.shape().psum_banks * bench.shape().bank_columns;
  bench.compare_psum();  // the state after reset
  // Marsaglia's seeds: draws 246875399, 3690007200, 1264581005.
  const std::uint32_t seeds[] = {123456789, 362436069, 521288629, 88675123, 5783321, 6615241};
  bench.write_psum(0, 16, state, 6, [&](unsigned, unsigned c) { return seeds[c - state]; });
  const TensorCommand load = any_words(bench, std::vector<std::uint32_t>(16, 0x3F800000));
  bench.run({load, bf16(bench.move(load, 3, 1024, 0, 0), true)});
  CHECK(bench.reference().psum(0, state + 4) + bench.reference().psum(0, state + 5) == 1264581005);
  bench.compare_psum();
  // Any rectangle of the state.
  Random random(test_seed());
  for (int i = 0; i < 20; ++i) {
    const unsigned lane = below(random, 16), word = below(random, 6);
    bench.write_psum(lane, between(random, 1, 16 - lane), state + word,
                     between(random, 1, 6 - word),
                     [&](unsigned, unsigned) { return random_binary32(random); });
    bench.compare_psum();
  }
}

TEST_CASE("tiny: only the lanes of the tile draw, in write order") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random, Spread::kNearOne);
  std::vector<TensorCommand> loads, moves;
  for (unsigned row = 0; row < 4; ++row) {
    for (unsigned col = 0; col < 2; ++col) {
      TensorCommand load = bench.load(8 * row, 8, between(random, 1, 8), 64 * row);
      load.tile_rows = TensorTileSize::kQuarter;
      load.tile_cols = TensorTileSize::kHalf;
      load.col_start = 8 * col;
      loads.push_back(load);
      moves.push_back(bf16(bench.move(load, 5, 1024, 2 * row, 0), true));
    }
  }
  bench.run(loads);
  const auto statuses = bench.run(moves);
  // One stochastic command at a time writes.
  for (std::size_t i = 1; i < statuses.size(); ++i)
    REQUIRE(statuses[i].first_write >= statuses[i - 1].first_write + 5);
  bench.compare_psum();
}

TEST_CASE("tiny: a BF16 column written in one cycle is accumulated on in the next") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random, Spread::kNearOne);
  const TensorCommand load = bench.load(0, 32, 16, 0);
  std::vector<TensorCommand> program = {load};
  // Both halves of a word in consecutive cycles; the last column again at once by the next command.
  for (unsigned i = 0; i < 12; ++i)
    program.push_back(bf16(bench.move(load, 4, 1024 + 8 * i, 0, 3 * i, true), i % 3 == 2));
  bench.run(program);
  TensorCommand again = bf16(bench.move(load, 6, 1024, 5, 7, true), false);
  again.step0 = 0;
  bench.run({again, again, again});
  bench.compare_psum();
}

TEST_CASE("tiny: 32-bit and 16-bit columns share words") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random, Spread::kNearOne);
  const TensorCommand load = bench.load(0, 32, 16, 0);
  std::vector<TensorCommand> program = {load};
  for (unsigned i = 0; i < 40; ++i) {
    TensorCommand move =
        bench.move(load, between(random, 1, 9), 1024, 3, below(random, 7), below(random, 3) != 0);
    if (i % 2 != 0) move = bf16(move, i % 4 == 3);
    program.push_back(move);
    if (i % 5 == 0)
      program.push_back(bench.transpose(0, 9, 16, 64, 3, below(random, 7), Type::kFp16));
  }
  // A transpose drops the waiting weights, not the active ones.
  bench.run(program);
  bench.compare_psum();
}

}  // namespace tern::tb

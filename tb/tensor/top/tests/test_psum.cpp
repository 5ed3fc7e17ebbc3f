// SPDX-License-Identifier: Apache-2.0
// PSUM: banks, overwrite and accumulate, the read-modify-write hazard, the other engines' port.
#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/tensor/top/bench/operands.h"
#include "tb/tensor/top/bench/tensor_bench.h"

namespace tern::tb {
namespace {

void fill(TensorBench& bench, Random& random) {
  for (unsigned r = 0; r < bench.shape().rows; ++r) {
    for (unsigned i = 0; i < 1024; ++i) {
      bench.sbuf().set(r, 2 * i, random_element(random, TensorType::kBf16, Spread::kNearOne));
    }
  }
}

}  // namespace

TEST_CASE("tiny: the banks alternate, K is accumulated") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  std::vector<TensorCommand> program;
  for (unsigned slab = 0; slab < 4; ++slab) {
    const TensorCommand load = bench.load(0, 32, 16, 32 * slab);
    program.push_back(load);
    for (unsigned bank = 0; bank < 8; ++bank) {
      program.push_back(bench.move(load, 16, 256 + 32 * slab + 2 * bank, bank, 0, slab != 0));
    }
  }
  bench.run(program);
  bench.compare_psum();
}

TEST_CASE("tiny: a column written in one cycle is accumulated on in the next") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  const TensorCommand load = bench.load(0, 32, 16, 0);
  // The last column of one instruction is the first of the next, back to back.
  bench.run({load, bench.move(load, 8, 64, 2, 0), bench.move(load, 8, 128, 2, 7, true),
             bench.move(load, 2, 256, 2, 14, true), bench.move(load, 1, 300, 2, 15, true)});
  bench.compare_psum();
}

TEST_CASE("tiny: the port writes and reads any rectangle") {
  TensorBench bench("tiny");
  Random random(test_seed());
  bench.write_psum(0, 16, 0, 128, [&](unsigned, unsigned) { return random_binary32(random); });
  bench.compare_psum();
  for (int i = 0; i < 60; ++i) {
    const unsigned lane = below(random, 16), column = below(random, 128);
    bench.write_psum(lane, between(random, 1, 16 - lane), column, between(random, 1, 128 - column),
                     [&](unsigned, unsigned) { return random_binary32(random); });
  }
  bench.compare_psum();
}

TEST_CASE("tiny: the port works while the array writes other banks and waits for the same") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  const TensorCommand load = bench.load(0, 32, 16, 0);
  bench.run({load});
  for (int round = 0; round < 200; ++round) {
    const unsigned array_bank = below(random, 8);
    // The array uses columns 0..7 of its bank, the port 8..15 of the same or any of another.
    const TensorCommand move =
        bench.move(load, 8, 2 * below(random, 480), array_bank, 0, round % 2 != 0);
    const unsigned bank = below(random, 2) != 0 ? array_bank : below(random, 8);
    const unsigned first = bank == array_bank ? 8 : below(random, 8),
                   count = between(random, 1, 16 - first);
    const unsigned delay = below(random, 48);
    const TensorBench::Access access = {0, 16, bank * 16 + first, count, round % 3 == 0};
    bench.run_with_access({move}, delay, access,
                          [&](unsigned, unsigned) { return random_binary32(random); });
  }
  bench.compare_psum();
  REQUIRE(bench.counters().psum_conflicts > 20);
}

TEST_CASE("tiny: the port with quad mode, transposes, column tiles and BF16 results") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  TensorCommand quad = bench.load(0, 32, 16, 0, TensorType::kE4m3fnX4);
  quad.mode = TensorMode::kQuad;
  TensorCommand tile = bench.load(0, 32, 4, 0);
  tile.tile_cols = TensorTileSize::kQuarter;
  tile.col_start = 12;
  bench.run({quad, tile});
  for (int round = 0; round < 240; ++round) {
    // The array uses words 0..7 of its banks, the port words 8..15.
    const unsigned kind = below(random, 4), array_bank = below(random, 2);
    TensorCommand move = bench.move(kind == 0 ? quad : tile, 8, 256, array_bank, 0, round % 2 != 0,
                                    kind == 0 ? TensorType::kE5m2X4 : TensorType::kBf16);
    move.bf16_result = kind == 1;
    if (kind == 1) move.num0 = 16;
    if (kind == 2) move = bench.transpose(0, 8, 16, 64, array_bank, 0, TensorType::kFp16);
    const unsigned column = 16 * below(random, 8) + 8;
    const TensorBench::Access access = {0, 16, column, between(random, 1, 8), round % 3 == 0};
    bench.run_with_access({move}, below(random, 56), access,
                          [&](unsigned, unsigned) { return random_binary32(random); });
    if (kind == 2) bench.run({quad, tile});
  }
  bench.compare_psum();
  REQUIRE(bench.counters().psum_conflicts > 20);
}

TEST_CASE("tiny: the port to the random generators waits for stochastic writes only") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  TensorCommand tile = bench.load(0, 32, 8, 0);
  tile.tile_cols = TensorTileSize::kHalf;
  bench.run_one(tile);
  const unsigned state = 128;  // columns after the last bank
  for (int round = 0; round < 120; ++round) {
    // Lanes 0..7 draw, the port uses the state of the others.
    TensorCommand move = bench.move(tile, 12, 256, 0, 0);
    move.bf16_result = true;
    move.stochastic = round % 4 != 0;
    const unsigned first = below(random, 6);
    const TensorBench::Access access = {8, 8, state + first, between(random, 1, 6 - first),
                                        round % 3 == 0};
    bench.run_with_access({move}, between(random, 20, 52), access,
                          [&](unsigned, unsigned) { return random_binary32(random); });
  }
  bench.compare_psum();
  REQUIRE(bench.counters().psum_conflicts > 20);
}

}  // namespace tern::tb

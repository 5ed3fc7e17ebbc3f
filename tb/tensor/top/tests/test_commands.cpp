// SPDX-License-Identifier: Apache-2.0
// Tile shapes, access patterns and addresses of the dense mode.
#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/tensor/top/bench/operands.h"
#include "tb/tensor/top/bench/tensor_bench.h"

namespace tern::tb {
namespace {

void fill(TensorBench& bench, Random& random, unsigned bytes = 4096) {
  for (unsigned r = 0; r < bench.shape().rows; ++r) {
    for (unsigned address = 0; address < bytes; address += 2) {
      bench.sbuf().set(r, address, random_element(random, TensorType::kBf16, Spread::kNearOne));
    }
  }
}

}  // namespace

TEST_CASE("tiny: every tile shape: rows, row start, columns, moving columns") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  for (unsigned start = 0; start < 32; start += 8) {
    for (unsigned rows = 1; rows + start <= 32; ++rows) {
      for (unsigned cols = 1; cols <= 16; ++cols) {
        // Lanes beyond the tile must keep what they hold.
        if (cols % 5 == 0) {
          bench.write_psum(0, 16, 0, 16,
                           [&](unsigned, unsigned) { return random_binary32(random); });
        }
        const TensorCommand load = bench.load(start, rows, cols, 8 * below(random, 64));
        bench.run({load, bench.move(load, between(random, 1, 16), 2 * below(random, 1024), 0, 0,
                                    cols % 2 != 0)});
      }
    }
  }
  bench.compare_psum();
}

TEST_CASE("tiny: moving patterns: strides, two dimensions, backwards, broadcast") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  const TensorCommand load = bench.load(0, 32, 16, 64);
  bench.run({load, bench.move(load, 16, 200, 0, 0)});
  struct Pattern {
    unsigned num0;
    int step0;
    unsigned num1;
    int step1;
  };
  const Pattern patterns[] = {{16, 1, 1, 0},  {8, 2, 1, 0},  {4, 1, 4, 32}, {4, 3, 2, -5},
                              {16, -1, 1, 0}, {1, 0, 16, 7}, {5, 0, 3, 1},  {3, 17, 5, 2},
                              {2, -9, 7, 4},  {1, 1, 1, 1},  {16, 0, 1, 0}, {4, -1, 4, -16}};
  for (const Pattern& p : patterns) {
    TensorCommand move = bench.move(load, 1, 2000, 2, 0);
    move.num0 = p.num0;
    move.step0 = p.step0;
    move.num1 = p.num1;
    move.step1 = p.step1;
    REQUIRE(bench.run_one(move).code == TensorStatusCode::kOk);
  }
  bench.compare_psum();
}

TEST_CASE("tiny: stationary patterns: strides, two dimensions, backwards, broadcast, any address") {
  TensorBench bench("tiny");
  Random random(test_seed());
  for (unsigned r = 0; r < 32; ++r) {
    for (unsigned i = 0; i < 4096; i += 4) {
      bench.sbuf().write(r, i, 4, random_element(random, TensorType::kFp32, Spread::kNearOne));
    }
  }
  struct Pattern {
    unsigned num0;
    int step0;
    unsigned num1;
    int step1;
  };
  const Pattern patterns[] = {{16, 1, 1, 0},  {8, 2, 1, 0},  {4, 1, 4, 32}, {4, 3, 2, -5},
                              {16, -1, 1, 0}, {1, 0, 16, 7}, {5, 0, 3, 1},  {3, 17, 5, 2},
                              {2, -9, 7, 4},  {1, 1, 1, 1},  {16, 0, 1, 0}, {4, -1, 4, -16},
                              {4, 1, 4, 4},   {8, 1, 2, 9}};
  for (const TensorType type :
       {TensorType::kBf16, TensorType::kFp16, TensorType::kTf32, TensorType::kFp32}) {
    const unsigned bytes = bytes_of(type);
    for (const Pattern& p : patterns) {
      for (unsigned offset = 0; offset < 8; offset += bytes) {
        TensorCommand load = bench.load(0, 32, p.num0 * p.num1, 1000 + offset, type);
        load.num0 = p.num0;
        load.step0 = p.step0;
        load.num1 = p.num1;
        load.step1 = p.step1;
        load.high_half = offset == 4;
        const TensorCommand move = bench.move(load, 6, 2000, 2, 0, false, type);
        for (const ExpectedStatus& status : bench.run({load, move}))
          REQUIRE(status.code == TensorStatusCode::kOk);
      }
    }
  }
  // Only the columns of the tile are written: others keep the weights of their tile.
  TensorCommand left = bench.load(0, 32, 3, 998), right = bench.load(0, 32, 8, 0);
  left.tile_cols = right.tile_cols = TensorTileSize::kHalf;
  left.step0 = 5;
  right.col_start = 8;
  bench.run({right, left, bench.move(right, 6, 2000, 3, 0), bench.move(left, 6, 2000, 4, 0)});
  bench.compare_psum();
}

TEST_CASE("tiny: the longest moving operands, across all banks") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  const TensorCommand load = bench.load(0, 32, 16, 64);
  TensorCommand move = bench.move(load, 128, 256, 0, 0);
  TensorCommand half = bench.move(load, 256, 256, 0, 0);
  half.bf16_result = true;
  TensorCommand middle = bench.move(load, 40, 256, 3, 11, true);
  for (const auto& status : bench.run({load, move, middle, half, middle}))
    REQUIRE(status.code == TensorStatusCode::kOk);
  bench.compare_psum();
}

TEST_CASE("tiny: the highest and the lowest address of a partition") {
  TensorBench bench("tiny");
  const unsigned end = bench.shape().sbuf_bytes;
  Random random(test_seed());
  for (unsigned r = 0; r < 32; ++r) {
    for (unsigned i = 0; i < 32; ++i) {
      bench.sbuf().set(r, end - 64 + 2 * i,
                       random_element(random, TensorType::kBf16, Spread::kNearOne));
      bench.sbuf().set(r, 2 * i, random_element(random, TensorType::kBf16, Spread::kNearOne));
    }
  }
  TensorCommand load = bench.load(0, 32, 16, end - 32);
  TensorCommand move = bench.move(load, 16, end - 32, 7, 0);
  TensorCommand backwards = bench.move(load, 16, end - 2, 6, 0);
  backwards.step0 = -1;
  TensorCommand to_zero = bench.move(load, 16, 30, 5, 0);
  to_zero.step0 = -1;
  TensorCommand across = bench.move(load, 1, end - 2, 4, 0);
  across.num0 = 5;
  across.step0 = -32767;
  // Three columns of the last group: the load reads beyond the end of the partition.
  TensorCommand cut = bench.load(0, 32, 4, end - 8);
  for (const auto& status : bench.run(
           {load, move, backwards, to_zero, across, cut, bench.move(cut, 3, end - 6, 3, 0)})) {
    REQUIRE(status.code == TensorStatusCode::kOk);
  }
  TensorCommand words = bench.load(0, 32, 15, end - 64, TensorType::kTf32);
  words.cols = words.num0 = 16;
  TensorCommand word_move = bench.move(words, 4, end - 16, 2, 0, false, TensorType::kTf32);
  for (const auto& status : bench.run({words, word_move}))
    REQUIRE(status.code == TensorStatusCode::kOk);
}

TEST_CASE("tiny: a multiply fits only the weights of its own tile") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  const TensorCommand whole = bench.load(0, 32, 16, 0);
  TensorCommand quarter = bench.load(8, 8, 4, 256);
  quarter.tile_rows = TensorTileSize::kQuarter;
  quarter.tile_cols = TensorTileSize::kQuarter;
  quarter.col_start = 8;
  const TensorCommand whole_move = bench.move(whole, 4, 512, 0, 0);
  const TensorCommand quarter_move = bench.move(quarter, 4, 512, 1, 0);
  const auto codes = [&](const std::vector<TensorCommand>& program) {
    std::vector<TensorStatusCode> list;
    for (const auto& status : bench.run(program)) list.push_back(status.code);
    return list;
  };
  const auto ok = TensorStatusCode::kOk, none = TensorStatusCode::kNoStationary;
  // A part of the whole tile was loaded again: the rest of it does not make a tile.
  CHECK(codes({whole, whole_move, quarter, whole_move, quarter_move, whole_move}) ==
        std::vector<TensorStatusCode>{ok, ok, ok, none, ok, none});
  // The same weights loaded whole again.
  CHECK(codes({whole, quarter_move, whole_move}) == std::vector<TensorStatusCode>{ok, none, ok});
  // Two loads of equal shape do not make one tile: each half of this one is a separate load.
  TensorCommand left = bench.load(0, 32, 8, 0), right = left;
  left.tile_cols = right.tile_cols = TensorTileSize::kHalf;
  right.col_start = 8;
  CHECK(codes({left, right, bench.move(left, 2, 512, 0, 0), bench.move(right, 2, 512, 0, 0),
               whole_move}) == std::vector<TensorStatusCode>{ok, ok, ok, ok, none});
  bench.compare_psum();
}

}  // namespace tern::tb

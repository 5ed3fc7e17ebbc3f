// SPDX-License-Identifier: Apache-2.0
// Tiles of array A: every part alone, many of them at the same time, parallel to other modes.
#include <catch2/catch.hpp>
#include <cstdio>

#include "tb/common/seed.h"
#include "tb/tensor/top/bench/operands.h"
#include "tb/tensor/top/bench/tensor_bench.h"

namespace tern::tb {
namespace {

using Tile = TensorTileSize;

void fill(TensorBench& bench, Random& random) {
  for (unsigned r = 0; r < bench.shape().rows; ++r) {
    for (unsigned i = 0; i < 2048; i += 4) {
      bench.sbuf().write(r, i, 2, random_element(random, TensorType::kBf16, Spread::kNearOne));
      bench.sbuf().write(r, i + 2, 2, random_element(random, TensorType::kBf16, Spread::kNearOne));
    }
  }
}

// The load of tile (row, col) where the array is cut into parts of these sizes.
TensorCommand tile_load(const TensorBench& bench, Tile rows, unsigned row, Tile cols, unsigned col,
                        TensorType type = TensorType::kBf16) {
  const unsigned k = bench.shape().rows >> static_cast<unsigned>(rows);
  const unsigned m = bench.shape().cols >> static_cast<unsigned>(cols);
  TensorCommand c = bench.load(row * k, k, m, 64 * (row + 4 * col), type);
  c.tile_rows = rows;
  c.tile_cols = cols;
  c.col_start = col * m;
  return c;
}

// Cycles from the first command's issue to the last status.
std::uint64_t cycles(const std::vector<ExpectedStatus>& statuses) {
  return statuses.back().retire - statuses.front().issue;
}

}  // namespace

TEST_CASE("tiny: every tile of every size, all formats") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  for (const auto type :
       {TensorType::kBf16, TensorType::kFp16, TensorType::kTf32, TensorType::kFp32}) {
    for (unsigned rows = 0; rows < 3; ++rows) {
      for (unsigned cols = 0; cols < 3; ++cols) {
        for (unsigned row = 0; row < 1u << rows; ++row) {
          for (unsigned col = 0; col < 1u << cols; ++col) {
            TensorCommand load =
                tile_load(bench, static_cast<Tile>(rows), row, static_cast<Tile>(cols), col, type);
            bench.run({load, bench.move(load, 5, 1024, row, col, col % 2 != 0, type)});
            // Not all rows and columns of the part.
            load.rows = between(random, 1, load.rows);
            load.cols = load.num0 = between(random, 1, load.cols);
            bench.run({load, bench.move(load, 3, 1028, 4 + row, col, false, type)});
          }
        }
      }
    }
  }
  bench.compare_psum();
}

TEST_CASE("tiny: k tiles take the time of one") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  constexpr unsigned kColumns = 32;
  const TensorCommand whole = tile_load(bench, Tile::kWhole, 0, Tile::kWhole, 0);
  bench.run_one(whole);
  const std::uint64_t one = cycles(bench.run({bench.move(whole, kColumns, 1024, 0, 0)}));
  std::printf("one multiply of the whole array, N = %u: %u cycles\n", kColumns,
              static_cast<unsigned>(one));
  for (const auto& [rows, cols] : {std::pair{Tile::kHalf, Tile::kWhole},
                                   {Tile::kQuarter, Tile::kWhole},
                                   {Tile::kWhole, Tile::kHalf},
                                   {Tile::kWhole, Tile::kQuarter},
                                   {Tile::kHalf, Tile::kHalf},
                                   {Tile::kQuarter, Tile::kQuarter}}) {
    std::vector<TensorCommand> loads, moves;
    const unsigned down = 1u << static_cast<unsigned>(rows);
    const unsigned across = 1u << static_cast<unsigned>(cols);
    for (unsigned row = 0; row < down; ++row) {
      for (unsigned col = 0; col < across; ++col) {
        loads.push_back(tile_load(bench, rows, row, cols, col));
        // Row tiles share lanes, so they need separate banks; column tiles do not.
        moves.push_back(bench.move(loads.back(), kColumns, 1024 + 4 * row, 2 * row, 0));
      }
    }
    bench.run(loads);
    const auto together = bench.run(moves);
    const std::uint64_t tiles = moves.size();
    std::printf("%2u x %u tiles, N = %u each: %u cycles\n", down, across, kColumns,
                static_cast<unsigned>(cycles(together)));
    // Nothing but their issue, one a cycle, comes on top of the time of one.
    for (std::size_t i = 1; i < tiles; ++i) REQUIRE(together[i].issue == together[i - 1].issue + 1);
    REQUIRE(cycles(together) <= one + tiles - 1);
  }
  bench.compare_psum();
}

TEST_CASE("tiny: row tiles on the same columns of PSUM wait for each other and add up") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  std::vector<TensorCommand> program, moves;
  for (unsigned row = 0; row < 4; ++row) {
    program.push_back(tile_load(bench, Tile::kQuarter, row, Tile::kWhole, 0));
    moves.push_back(bench.move(program.back(), 7, 1024, 2, 3, row != 0));
  }
  program.insert(program.end(), moves.begin(), moves.end());
  const auto statuses = bench.run(program);
  for (unsigned i = 5; i < 8; ++i)
    REQUIRE(statuses[i].first_write >= statuses[i - 1].first_write + 7);
  bench.compare_psum();
}

TEST_CASE("tiny: tiles are loaded while others multiply") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  std::vector<TensorCommand> program;
  for (unsigned i = 0; i < 60; ++i) {
    const auto rows = static_cast<Tile>(i % 3), cols = static_cast<Tile>(i / 3 % 3);
    const TensorCommand load = tile_load(bench, rows, below(random, 1u << (i % 3)), cols,
                                         below(random, 1u << (i / 3 % 3)));
    program.push_back(load);
    program.push_back(bench.move(load, between(random, 1, 12), 1024 + 2 * below(random, 100),
                                 below(random, 8), below(random, 16), below(random, 2) != 0));
    if (program.back().psum_bank == 7) program.back().psum_column = 0;
  }
  bench.run(program);
  bench.compare_psum();
}

TEST_CASE("tiny: array A and array X alternate without a gap in their results") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  TensorCommand mx = bench.load(0, 32, 16, 128, TensorType::kE4m3fnX4);
  mx.mode = TensorMode::kMx;
  mx.aux_address = 512;
  const TensorCommand dense = bench.load(0, 32, 16, 0);
  std::vector<TensorCommand> program = {dense, mx};
  for (unsigned i = 0; i < 24; ++i) {
    program.push_back(i % 3 != 0
                          ? bench.move(dense, 1 + i % 7, 1024, i % 8, 0, i > 8)
                          : bench.move(mx, 1 + i % 5, 1024, i % 8, 0, i > 8, TensorType::kE5m2X4));
    program.push_back(i % 2 != 0 ? dense : mx);
  }
  bench.run(program);
  bench.compare_psum();
}

}  // namespace tern::tb

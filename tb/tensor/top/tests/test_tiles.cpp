// SPDX-License-Identifier: Apache-2.0
// Tiles of the arrays: every part alone, many of them at the same time, parallel to other modes.
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

namespace {

// In double row the tiny engine has quarters of the rows, too.
TensorCommand double_row_load(const TensorBench& bench, Tile rows, unsigned row) {
  TensorCommand c = tile_load(bench, rows, row, Tile::kWhole, 0, TensorType::kE5m2);
  c.mode = TensorMode::kDoubleRow;
  c.plane = 32;
  return c;
}

TensorCommand double_row_move(const TensorBench& bench, const TensorCommand& load, unsigned columns,
                              unsigned bank, bool accumulate = false) {
  TensorCommand c =
      bench.move(load, columns, 1024 + bank, bank, 0, accumulate, TensorType::kE4m3fn);
  c.plane = 512;
  return c;
}

}  // namespace

TEST_CASE("tiny: k row tiles of array X take the time of one") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  constexpr unsigned kColumns = 16;
  const TensorCommand whole = double_row_load(bench, Tile::kWhole, 0);
  bench.run_one(whole);
  const std::uint64_t one = cycles(bench.run({double_row_move(bench, whole, kColumns, 0)}));
  for (const Tile rows : {Tile::kHalf, Tile::kQuarter}) {
    std::vector<TensorCommand> loads, moves;
    for (unsigned row = 0; row < 1u << static_cast<unsigned>(rows); ++row) {
      loads.push_back(double_row_load(bench, rows, row));
      moves.push_back(double_row_move(bench, loads.back(), kColumns, 2 * row));
    }
    bench.run(loads);
    const auto together = bench.run(moves);
    for (std::size_t i = 1; i < moves.size(); ++i)
      REQUIRE(together[i].issue == together[i - 1].issue + 1);
    REQUIRE(cycles(together) <= one + moves.size() - 1);
    // On the same columns of PSUM they wait for each other and add up.
    for (TensorCommand& move : moves) {
      move.accumulate = move.psum_bank != 0;
      move.psum_bank = 0;
    }
    const auto sums = bench.run(moves);
    for (std::size_t i = 1; i < moves.size(); ++i)
      REQUIRE(sums[i].first_write >= sums[i - 1].first_write + kColumns);
  }
  bench.compare_psum();
}

TEST_CASE("tiny: row tiles of array X next to other modes and to array A") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  TensorCommand quad = bench.load(0, 32, 16, 0, TensorType::kE4m3fnX4);
  quad.mode = TensorMode::kQuad;
  quad.aux_address = 512;
  const TensorCommand dense = tile_load(bench, Tile::kQuarter, 0, Tile::kWhole, 0);
  const TensorCommand top = double_row_load(bench, Tile::kQuarter, 0);
  const TensorCommand last = double_row_load(bench, Tile::kQuarter, 3);
  const TensorCommand lower = double_row_load(bench, Tile::kHalf, 1);
  const TensorCommand all = double_row_load(bench, Tile::kWhole, 0);
  // After quad mode a tile that ends above the last row group waits until the ports are free.
  const auto after_quad = [&](const TensorCommand& load) {
    bench.run({quad});
    TensorCommand slots = bench.move(quad, 4, 1024, 0, 0, false, TensorType::kE5m2X4);
    slots.aux_address = 768;
    bench.run({slots, load});
    bench.run({quad, slots});  // and the weights of the tile are gone
    return bench.run({quad, slots, load, double_row_move(bench, load, 4, 1)});
  };
  const auto cells = after_quad(last);
  const auto ports = after_quad(top);
  REQUIRE(ports[3].issue >= ports[1].issue + 4 + 3);
  REQUIRE(ports[3].issue - ports[1].issue >= cells[3].issue - cells[1].issue);
  // Array A on the same rows, and on others; then the whole of array X.
  bench.run({dense, top, last, bench.move(dense, 9, 1024, 0, 0), double_row_move(bench, top, 9, 1),
             double_row_move(bench, last, 9, 2), bench.move(dense, 9, 1024, 3, 0),
             double_row_move(bench, last, 9, 4), all, double_row_move(bench, all, 9, 5), lower,
             double_row_move(bench, lower, 9, 6, true)});
  bench.compare_psum();
}

TEST_CASE("tiny: a multiply of array X fits only the weights of its own row groups") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  const TensorCommand upper = double_row_load(bench, Tile::kHalf, 0);
  const TensorCommand lower = double_row_load(bench, Tile::kHalf, 1);
  const TensorCommand third = double_row_load(bench, Tile::kQuarter, 2);
  const TensorCommand all = double_row_load(bench, Tile::kWhole, 0);
  const auto code = [&](const TensorCommand& load) {
    return bench.run_one(double_row_move(bench, load, 3, 1)).code;
  };
  bench.run({all, upper});
  CHECK(code(upper) == TensorStatusCode::kOk);
  CHECK(code(all) == TensorStatusCode::kNoStationary);
  CHECK(code(lower) == TensorStatusCode::kNoStationary);
  bench.run({lower});
  CHECK(code(lower) == TensorStatusCode::kOk);
  CHECK(code(upper) == TensorStatusCode::kOk);
  bench.run({third});
  CHECK(code(lower) == TensorStatusCode::kNoStationary);
  CHECK(code(third) == TensorStatusCode::kOk);
  CHECK(code(upper) == TensorStatusCode::kOk);
  bench.run({all});
  CHECK(code(upper) == TensorStatusCode::kNoStationary);
  CHECK(code(all) == TensorStatusCode::kOk);
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
